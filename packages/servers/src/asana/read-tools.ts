/** The tools that read: workspaces, projects, tasks, and what was said about them. */

import { ToolError, tool } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { type Context, foreign, nextPage, READS, rows as rowsOf, START_INPUT } from '../vendor/vendor-host.ts'
import { pathOf, type VendorPath } from '../vendor/vendor-path.ts'
import { type AsanaHost, GID_INPUT, isAllowed, readProject, readTask, TASK_FIELDS, taskLine } from './host.ts'

const OFFSET_INPUT = { type: 'string', maxLength: 2000, description: 'Where the next page begins' } as const
const WORKSPACE_INPUT = { ...GID_INPUT, description: 'The id of a workspace, from list_workspaces' } as const
const LIMIT = 50

export function createReadTools(host: AsanaHost) {
  return {
    list_workspaces: listWorkspaces(host),
    list_projects: listProjects(host),
    list_tasks: listTasks(host),
    search_tasks: searchTasks(host),
    get_task: getTask(host),
  }
}

function listWorkspaces(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: { offset: OFFSET_INPUT, start: START_INPUT },
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Workspaces', description: 'The workspaces that can be read', input, ...READS },
    async ({ offset, start }, ctx: Context) => {
      const { json } = await host.service.send(pathOf`/workspaces`, { query: { limit: 100, offset } }, ctx)
      const own = toList(toObject(json).data).filter((workspace) => isAllowed(host, workspace))
      const lines = own.map(({ gid, name }) => `${toText(gid)} ${toLine(name)}`)
      return rows(host, json, lines, start)
    },
  )
}

function requireAllowed(host: AsanaHost, workspace: string): void {
  if (!isAllowed(host, { gid: workspace })) throw new ToolError('There is no such workspace on this server.')
}

function listProjects(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: { workspace: WORKSPACE_INPUT, offset: OFFSET_INPUT, start: START_INPUT },
    required: ['workspace'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Projects', description: 'The projects of a workspace', input, ...READS },
    async ({ workspace, offset, start }, ctx: Context) => {
      requireAllowed(host, workspace)
      const query = { workspace, archived: false, limit: LIMIT, offset, opt_fields: 'name,due_on,owner.name' }
      const { json } = await host.service.send(pathOf`/projects`, { query }, ctx)
      const lines = toList(toObject(json).data).map(
        ({ gid, name, owner }) => `${toText(gid)} ${toLine(name)} · ${toLine(toObject(owner).name, 80)}`,
      )
      return rows(host, json, lines, start)
    },
  )
}

function listTasks(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: {
      project: { ...GID_INPUT, description: 'The id of a project' },
      completed: { type: 'boolean', default: false, description: 'Those that are done, too' },
      offset: OFFSET_INPUT,
      start: START_INPUT,
    },
    required: ['project'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Tasks', description: 'The tasks of a project, in its order', input, ...READS },
    async ({ project, completed = false, offset, start }, ctx: Context) => {
      await readProject(host, project, ctx)
      const since = completed ? undefined : 'now'
      const query = { limit: LIMIT, offset, completed_since: since, opt_fields: TASK_FIELDS }
      const { json } = await host.service.send(pathOf`/projects/${project}/tasks`, { query }, ctx)
      return rows(host, json, toList(toObject(json).data).map(taskLine), start)
    },
  )
}

function searchTasks(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: {
      workspace: WORKSPACE_INPUT,
      text: { type: 'string', maxLength: 300, description: 'Words of the name or the description' },
      mine: { type: 'boolean', default: false, description: 'Only tasks of whose token it is' },
      completed: { type: 'boolean', description: 'Only those that are done, or only those that are not' },
      due_before: { type: 'string', format: 'date', description: 'Only those due before this day' },
      start: START_INPUT,
    },
    required: ['workspace'],
    additionalProperties: false,
  } as const
  const description =
    'Finds tasks of a workspace by words, assignee, state and day; at most 100, the last changed first'
  return tool({ title: 'Search tasks', description, input, ...READS }, async (given, ctx: Context) => {
    const { workspace, text, mine, completed, due_before, start } = given
    requireAllowed(host, workspace)
    const query = {
      text,
      completed,
      'due_on.before': due_before,
      'assignee.any': mine === true ? 'me' : undefined,
      sort_by: 'modified_at',
      limit: 100,
      opt_fields: TASK_FIELDS,
    }
    const { json } = await host.service.send(pathOf`/workspaces/${workspace}/tasks/search`, { query }, ctx)
    return rows(host, json, toList(toObject(json).data).map(taskLine), start)
  })
}

function getTask(host: AsanaHost) {
  const input = {
    type: 'object',
    properties: { task: { ...GID_INPUT, description: 'The id of a task' }, start: START_INPUT },
    required: ['task'],
    additionalProperties: false,
  } as const
  const description = 'A task: its description, its subtasks, and what was said about it'
  return tool({ title: 'Task', description, input, ...READS }, async ({ task: gid, start }, ctx: Context) => {
    const task = await readTask(host, gid, ctx)
    const subtasks = await readAll(host, pathOf`/tasks/${gid}/subtasks`, TASK_FIELDS, ctx)
    const stories = await readAll(host, pathOf`/tasks/${gid}/stories`, 'type,text,created_by.name,created_at', ctx)
    const said = stories.data.filter(({ type }) => type === 'comment')
    return foreign(
      host,
      [
        taskLine(task),
        `Projects: ${toList(task.projects)
          .map(({ name }) => toLine(name))
          .join(', ')} · ${toLine(task.permalink_url, 500)}`,
        toText(task.notes),
        ...subtasks.data.map((subtask) => `  ${taskLine(subtask)}`),
        ...said.map(
          ({ created_at, created_by, text }) =>
            `--- ${toLine(toObject(created_by).name, 80)} ${toLine(created_at, 30).slice(0, 10)}\n${toText(text)}`,
        ),
        ...(subtasks.cut || stories.cut
          ? [`[It has more than ${MAX_PAGES * 100} subtasks or events; the rest is left out.]`]
          : []),
      ].join('\n\n'),
      start,
    )
  })
}

const MAX_PAGES = 5

/** All of a list: what people said comes after everything else that ever happened to a task. */
async function readAll(host: AsanaHost, path: VendorPath, fields: string, ctx: Context) {
  const data: ReturnType<typeof toObject>[] = []
  let offset: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { json } = await host.service.send(path, { query: { limit: 100, offset, opt_fields: fields } }, ctx)
    data.push(...toList(toObject(json).data))
    offset = toText(toObject(toObject(json).next_page).offset) || undefined
    if (offset === undefined) return { data, cut: false }
  }
  return { data, cut: true }
}

function rows(host: AsanaHost, json: unknown, lines: readonly string[], start: number | undefined) {
  return rowsOf(host, lines, { next: nextPage('offset', toObject(toObject(json).next_page).offset), start })
}
