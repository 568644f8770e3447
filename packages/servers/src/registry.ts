/** Every server of this package by name: what `portico run <name>` and the host's configuration look names up in. */

import type { ServerEntry } from './entry.ts'

/** The names of all ready-made servers. */
export const SERVER_NAMES = [
  'files',
  'git',
  'sql',
  'mongo',
  'openapi',
  'graphql',
  'web',
  'browser',
  'screen',
  'run',
  'knowledge',
  'memory',
  'time',
  'github',
  'slack',
  'notion',
  'asana',
  'google',
  'editor',
  'everything',
] as const

/** The name of a ready-made server. */
export type ServerName = (typeof SERVER_NAMES)[number]

const LOADERS: { readonly [Name in ServerName]: () => Promise<{ readonly entry: ServerEntry }> } = {
  files: () => import('./files/entry.ts'),
  git: () => import('./git/entry.ts'),
  sql: () => import('./sql/entry.ts'),
  mongo: () => import('./mongo/entry.ts'),
  openapi: () => import('./openapi/entry.ts'),
  graphql: () => import('./graphql/entry.ts'),
  web: () => import('./web/entry.ts'),
  browser: () => import('./browser/entry.ts'),
  screen: () => import('./screen/entry.ts'),
  run: () => import('./run/entry.ts'),
  knowledge: () => import('./knowledge/entry.ts'),
  memory: () => import('./memory/entry.ts'),
  time: () => import('./time/entry.ts'),
  github: () => import('./github/entry.ts'),
  slack: () => import('./slack/entry.ts'),
  notion: () => import('./notion/entry.ts'),
  asana: () => import('./asana/entry.ts'),
  google: () => import('./google/entry.ts'),
  editor: () => import('./editor/entry.ts'),
  everything: () => import('./everything/entry.ts'),
}

/**
 * Tells whether a name is that of a ready-made server.
 *
 * @example
 * ```ts
 * import { isServerName, loadEntry } from '@portico/servers'
 *
 * const name = process.argv[2] ?? 'time'
 * if (isServerName(name)) process.stdout.write(`${(await loadEntry(name)).about}\n`)
 * ```
 */
export function isServerName(name: string): name is ServerName {
  return Object.hasOwn(LOADERS, name)
}

/**
 * Loads what a ready-made server says of itself, by its name. The server itself is loaded when `create` is called.
 *
 * @example
 * ```ts
 * import { loadEntry } from '@portico/servers'
 *
 * const entry = await loadEntry('files')
 * const { server, close } = await entry.create({ directories: ['./docs'] })
 * ```
 */
export async function loadEntry(name: ServerName): Promise<ServerEntry> {
  return (await LOADERS[name]()).entry
}
