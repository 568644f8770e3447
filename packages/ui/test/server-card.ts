/** A server as the program tells of it, for the tests of the screens that show servers. */

import type { ServerCard } from 'portico/web-api'

interface CardOptions extends Partial<Omit<ServerCard, 'state'>> {
  readonly state?: Partial<ServerCard['state']>
  /** An address in place of a program. */
  readonly url?: string
}

export function serverCard(name: string, { state, url, ...more }: CardOptions = {}): ServerCard {
  return {
    name,
    config: {
      name,
      target:
        url === undefined
          ? { kind: 'stdio', command: 'node', args: [`${name}.mjs`], env: {} }
          : { kind: 'http', url, headers: {} },
      settings: SETTINGS,
      place: { file: '/home/me/portico.json', path: `servers.${name}`, line: 3 },
      fingerprint: name,
    },
    state: { state: 'ready', since: Date.now(), ...state },
    calls: 0,
    errors: 0,
    connections: 1,
    shown: url ?? `node ${name}.mjs`,
    items: { tools: 2, resources: 0, prompts: 1, quarantined: 0 },
    warnings: [],
    builtIn: false,
    ...more,
  }
}

const SETTINGS = {
  disabled: false,
  lazy: false,
  startMs: 30_000,
  callMs: 60_000,
  maxConcurrent: 10,
  callsPerMinute: 0,
  shareable: false,
  tasks: 'auto',
  tasksAfterMs: 5_000,
  trusted: false,
  roots: [],
  tools: {},
  resources: {},
  prompts: {},
  sampling: { models: [], requestsPerMinute: 10, tokensPerDay: 1_000 },
} as const
