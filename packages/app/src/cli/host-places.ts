/** Where this program's own files are. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { configFolder, stateFolder } from '@portico/host/config'
import type { Io } from './terminal/io.ts'

/** Where our own state is: approvals, pins, tokens, the audit log. */
export function stateOf(io: Pick<Io, 'env'>): string {
  return stateFolder(io.env, process.platform, homedir())
}

/** The user's own file, which `servers add` writes to. */
export function userFile(io: Pick<Io, 'env'>, given?: string): string {
  return given ?? join(configFolder({ env: io.env, platform: process.platform, home: homedir() }), 'portico.json')
}

export function projectFile(io: Pick<Io, 'cwd'>): string {
  return join(io.cwd, 'portico.json')
}
