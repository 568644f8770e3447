/**
 * What goes along with conversations by configuration: resources that are attached to every message, and projects, each a
 * named set of servers, attached resources, instructions and rules that several conversations share. Only the user's own
 * files have a say: what a folder brings along must not put words or rules into a conversation.
 */

import { isObject } from '@portico/sdk/internal'
import type { LoadedConfig } from '../../config/load-config.ts'
import type { ConfigProblem } from '../../config/server-config.ts'
import { readRules } from '../../policy/rule-text.ts'
import type { AttachRule } from '../options.ts'

export interface Project {
  readonly name: string
  /** Only the tools of these; all unless given. */
  readonly servers?: readonly string[]
  readonly attach: readonly AttachRule[]
  /** Told to the model besides its usual instructions. */
  readonly instructions?: string
  /** Decide in its conversations, together with the others. */
  readonly rules: readonly unknown[]
}

export interface ConversationSettings {
  readonly attach: readonly AttachRule[]
  readonly projects: ReadonlyMap<string, Project>
  readonly problems: readonly ConfigProblem[]
}

export function readConversationSettings(config: LoadedConfig): ConversationSettings {
  const problems: ConfigProblem[] = []
  const attach: AttachRule[] = []
  const projects = new Map<string, Project>()
  for (const { file, scope, ...section } of config.extras) {
    if (scope !== 'user') continue
    const complain = (path: string, message: string, remedy: string): void =>
      void problems.push({ severity: 'error', place: { file, path }, message, remedy })
    attach.push(...readAttach(section.attach, 'attach', complain))
    for (const [name, value] of Object.entries(isObject(section.projects) ? section.projects : {})) {
      const project = readProject(name, value, complain)
      if (project !== undefined) projects.set(name, project)
    }
  }
  return { attach, projects, problems }
}

type Complain = (path: string, message: string, remedy: string) => void

function readAttach(value: unknown, path: string, complain: Complain): AttachRule[] {
  if (value === undefined) return []
  const entries: unknown[] = Array.isArray(value) ? value : [value]
  return entries.flatMap((entry, at) => {
    const { server, uri, maxBytes } = isObject(entry) ? entry : {}
    const isBounded = maxBytes === undefined || (typeof maxBytes === 'number' && maxBytes > 0)
    if (typeof server === 'string' && typeof uri === 'string' && isBounded) return [{ server, uri, maxBytes }]
    complain(`${path}[${at}]`, 'This does not say what to attach', 'Give it a `server` and a `uri`')
    return []
  })
}

/** A project whose rules cannot be read is left out: without them, it would be another one. */
function readProject(name: string, value: unknown, complain: Complain): Project | undefined {
  const path = `projects.${name}`
  const { servers, attach, instructions, rules = [] } = isObject(value) ? value : {}
  const [problem] = readRules(rules).problems
  const areNames = servers === undefined || (Array.isArray(servers) && servers.every((one) => typeof one === 'string'))
  if (!isObject(value) || !areNames || problem !== undefined) {
    const message = problem === undefined ? 'This is no project' : `${problem.path} ${problem.message}`
    complain(path, message, 'A project has `servers`, `attach`, `instructions` and `rules`')
    return undefined
  }
  return {
    name,
    attach: readAttach(attach, `${path}.attach`, complain),
    rules: rules as readonly unknown[],
    ...(areNames && servers !== undefined && { servers: servers as readonly string[] }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}
