/** The tools that change something; each shows the user all that would be sent, and asks. */

import { tool } from '@portico/sdk/server'
import { toLine, toObject, toText } from '../vendor/values.ts'
import { type Context, change, WRITES, whole } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import type { VendorAnswer } from '../vendor/vendor-service.ts'
import { type AsanaHost, GID_INPUT, readProject, readTask } from './host.ts'

const NAME_INPUT = { type: 'string', minLength: 1, maxLength: 500 } as const
const NOTES_INPUT = { type: 'string', maxLength: 20_000, description: 'Plain text' } as const
const DUE_INPUT = { type: 'string', format: 'date', description: 'The day it is due' } as const
const ASSIGNEE_INPUT = {
  type: 'string',
  pattern: '^(me|[0-9]{1,32})$',
  description: '"me", or the id of a person',
} as const
const TASK_INPUT = { ...GID_INPUT, description: 'The id of a task' } as const

export function createWriteTools(host: AsanaHost) {
  return { create_task: createTask(host), update_task: updateTask(host), add_comment: addComment(host) }
}

function addressOf({ json }: VendorAnswer): string {
  const { permalink_url, gid } = toObject(toObject(json).data)
  return toLine(permalink_url, 500) || toText(gid)
}

function createTask(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: {
      project: { ...GID_INPUT, description: 'The id of the project it shall be in' },
      name: NAME_INPUT,
      notes: NOTES_INPUT,
      due_on: DUE_INPUT,
      assignee: ASSIGNEE_INPUT,
    },
    required: ['project', 'name'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Make a task', description: 'Makes a task in a project, after the user has agreed', input, ...WRITES },
    async ({ project, ...fields }, ctx: Context) => {
      const { name } = await readProject(host, project, ctx)
      const body = { data: { ...fields, projects: [project] } }
      const question = `Make a task in the project ${whole(name)} (${project})?`
      return change(host, { question, method: 'POST', path: pathOf`/tasks`, body }, ctx, addressOf)
    },
  )
}

function updateTask(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: {
      task: TASK_INPUT,
      name: NAME_INPUT,
      notes: NOTES_INPUT,
      completed: { type: 'boolean' },
      due_on: DUE_INPUT,
      assignee: ASSIGNEE_INPUT,
    },
    required: ['task'],
    additionalProperties: false,
  } as const
  return tool(
    {
      title: 'Change a task',
      description: 'Changes a task: name, description, state, day, assignee; after the user has agreed',
      input,
      ...WRITES,
      destructive: true,
      idempotent: true,
    },
    async ({ task: gid, ...fields }, ctx: Context) => {
      const { name } = await readTask(host, gid, ctx)
      const path = pathOf`/tasks/${gid}`
      const question = `Change the task ${whole(name)} (${gid})?`
      return change(host, { question, method: 'PUT', path, body: { data: fields } }, ctx, addressOf)
    },
  )
}

function addComment(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: { task: TASK_INPUT, text: { ...NOTES_INPUT, minLength: 1 } },
    required: ['task', 'text'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Comment', description: 'Comments on a task, after the user has agreed', input, ...WRITES },
    async ({ task: gid, text }, ctx: Context) => {
      const { name, permalink_url } = await readTask(host, gid, ctx)
      // As plain text: the other member that Asana has takes markup, with mentions in it.
      const body = { data: { text } }
      const question = `Comment on the task ${whole(name)} (${gid})?`
      const path = pathOf`/tasks/${gid}/stories`
      return change(host, { question, method: 'POST', path, body, shown: text }, ctx, () => toLine(permalink_url, 500))
    },
  )
}
