/** What the tools of the asana server have in common: the workspaces they may touch, and tasks as people read them. */

import { ToolError } from '@portico/sdk/server'
import { toLine, toObject, toText } from '../vendor/values.ts'
import type { VendorHost } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import type { Patience } from '../vendor/vendor-service.ts'

type Json = ReturnType<typeof toObject>

export interface AsanaHost extends VendorHost {
  /** The ids of the workspaces that may be touched; all that the token sees where there are none. */
  readonly workspaces: ReadonlySet<string> | undefined
}

export const GID_INPUT = { type: 'string', pattern: '^[0-9]{1,32}$' } as const

export function isAllowed({ workspaces }: AsanaHost, workspace: unknown): boolean {
  return workspaces?.has(toText(toObject(workspace).gid)) ?? true
}

/** Throws what to tell the model: what is in another workspace is as if it were not there. */
function requireWorkspace(host: AsanaHost, workspace: unknown, what: string): void {
  if (!isAllowed(host, workspace)) throw new ToolError(`There is no such ${what} in the workspaces of this server.`)
}

export const TASK_FIELDS =
  'name,completed,due_on,assignee.name,notes,permalink_url,workspace,projects.name,memberships.section.name,modified_at'

/** Reads a task of an allowed workspace. */
export async function readTask(host: AsanaHost, gid: string, ctx: Patience): Promise<Json> {
  const { json } = await host.service.send(pathOf`/tasks/${gid}`, { query: { opt_fields: TASK_FIELDS } }, ctx)
  const task = toObject(toObject(json).data)
  requireWorkspace(host, task.workspace, 'task')
  return task
}

/** Reads a project of an allowed workspace. */
export async function readProject(host: AsanaHost, gid: string, ctx: Patience): Promise<Json> {
  const { json } = await host.service.send(pathOf`/projects/${gid}`, { query: { opt_fields: 'name,workspace' } }, ctx)
  const project = toObject(toObject(json).data)
  requireWorkspace(host, project.workspace, 'project')
  return project
}

export function taskLine(task: Json): string {
  const who = toLine(toObject(task.assignee).name, 80)
  const due = toLine(task.due_on, 10)
  return `${toText(task.gid)} [${task.completed === true ? 'x' : ' '}] ${toLine(task.name)}${who === '' ? '' : ` · ${who}`}${due === '' ? '' : ` · due ${due}`}`
}
