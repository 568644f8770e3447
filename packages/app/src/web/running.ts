/**
 * How other programs of the same user find a workbench that runs: a file in the state folder, for its owner alone, with
 * the address and a key that is good for one thing, asking for another link.
 */

import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LINK_KEY_HEADER, LINK_PATH } from './http/http.ts'
import { isRecord } from './http/params.ts'
import { readJson, writeJson } from './saved-json.ts'

export function createLinkKey(): string {
  return randomBytes(32).toString('base64url')
}

/** What comes back takes the notice down. */
export async function announceRunning(stateDir: string, origin: string, key: string): Promise<() => Promise<void>> {
  const file = join(folderOf(stateDir), `${process.pid}-${new URL(origin).port}.json`)
  await writeJson(file, { origin, key, pid: process.pid })
  return () => rm(file, { force: true })
}

/** A link to a workbench that runs with this state folder; undefined where none does. */
export async function requestLink(stateDir: string): Promise<string | undefined> {
  const folder = folderOf(stateDir)
  for (const name of await readdir(folder).catch(() => [])) {
    const notice = name.endsWith('.json') ? await readJson(join(folder, name)) : undefined
    if (!isRecord(notice) || typeof notice.origin !== 'string' || typeof notice.key !== 'string') continue
    const link = await askForLink(notice.origin, notice.key)
    if (link !== undefined) return link
    // Whoever put it up was killed before taking it down.
    if (typeof notice.pid === 'number' && !isAlive(notice.pid)) await rm(join(folder, name), { force: true })
  }
  return undefined
}

const ASK_MS = 2_000

async function askForLink(origin: string, key: string): Promise<string | undefined> {
  try {
    const response = await fetch(new URL(LINK_PATH, origin), {
      method: 'POST',
      headers: { [LINK_KEY_HEADER]: key },
      redirect: 'error',
      signal: AbortSignal.timeout(ASK_MS),
    })
    const body: unknown = response.ok ? await response.json() : undefined
    return isRecord(body) && typeof body.link === 'string' ? body.link : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is alive, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'running')
}
