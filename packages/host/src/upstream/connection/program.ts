/**
 * Whether the program of an entry is there, looked up before it is started: a start that fails holds up everything else
 * in this process for as long as the system takes to find that out, once for every attempt.
 */

import { access } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { PorticoError, type Target } from '@portico/sdk/client'

/** Rejects, as starting it would, where it is certain that there is no such program. */
export async function requireProgram(target: Target): Promise<void> {
  // What a name means on Windows is decided where it is started.
  if (typeof target !== 'object' || !('command' in target) || process.platform === 'win32') return
  const { command, env, cwd } = target
  const path = env !== undefined && Object.hasOwn(env, 'PATH') ? env.PATH : process.env.PATH
  const folders = command.includes('/') ? ['.'] : path?.split(delimiter)
  // Without a path the system has one of its own.
  if (command === '' || folders === undefined) return
  const within = resolve(cwd ?? '.')
  for (const folder of folders) if (await isThere(resolve(within, folder, command))) return
  // That the folder is missing is another story, which the start tells.
  if (!(await isThere(within))) return
  const cause = Object.assign(new Error(`no program "${command}"`), { code: 'ENOENT' })
  throw new PorticoError('connect-failed', `cannot start "${command}": not found on the path`, {
    cause,
    delivery: 'not-sent',
  })
}

/** What cannot be looked at may be there all the same. */
async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}
