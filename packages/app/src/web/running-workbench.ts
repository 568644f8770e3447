/**
 * Lets other programs of the same user find a workbench that runs: by a file in the state folder, for its owner alone,
 * with the address and a key that is good for one thing, asking for another link. The file may outlive its workbench,
 * and somebody else may listen there by then: nothing is believed or told before the other side has proved itself.
 */

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '@portico/sdk/internal'
import {
  ASKER_NONCE_HEADER,
  createNonce,
  isCode,
  isProof,
  LINK_PATH,
  PROOF_HEADER,
  prove,
  WORKBENCH_NONCE_HEADER,
} from './http/link-proof.ts'
import { readJson, writeJson } from './saved-json.ts'

export function createLinkKey(): string {
  return createNonce()
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
    if (!name.endsWith('.json')) continue
    const notice = toNotice(await readJson(join(folder, name)))
    // Whoever put it up was killed before taking it down.
    const answer = notice === undefined || !isAlive(notice.pid) ? 'stale' : await askForToken(notice)
    if (answer === 'stale') await rm(join(folder, name), { force: true })
    else if (answer !== 'silent') return `${notice?.origin}/?token=${answer.token}`
  }
  return undefined
}

interface Notice {
  readonly origin: string
  readonly key: string
  readonly pid: number
}

/** Undefined for what no workbench has written. */
function toNotice(value: unknown): Notice | undefined {
  if (!isObject(value) || typeof value.origin !== 'string' || !isCode(value.key)) return undefined
  const { origin, key, pid } = value
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined
  const isOrigin = URL.canParse(origin) && new URL(origin).origin === origin && origin.startsWith('http://')
  return isOrigin ? { origin, key, pid } : undefined
}

/** `stale` where nobody listens or somebody else does, `silent` where nothing comes in time: a workbench may be busy. */
type Asked = { readonly token: string } | 'stale' | 'silent'

async function askForToken({ origin, key }: Notice): Promise<Asked> {
  const asker = createNonce()
  try {
    const first = await post(origin, { [ASKER_NONCE_HEADER]: asker })
    if (!isCode(first?.nonce)) return 'stale'
    const exchange = { origin, asker, workbench: first.nonce }
    if (!isProof(first.proof, prove('workbench', key, exchange))) return 'stale'
    const second = await post(origin, {
      [ASKER_NONCE_HEADER]: asker,
      [WORKBENCH_NONCE_HEADER]: first.nonce,
      [PROOF_HEADER]: prove('asker', key, exchange),
    })
    return isCode(second?.token) ? { token: second.token } : 'silent'
  } catch (error) {
    return isRefused(error) ? 'stale' : 'silent'
  }
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}

const ASK_MS = 2_000
const MAX_ANSWER_BYTES = 4_096

/** Undefined for what is no answer of a workbench. */
async function post(
  origin: string,
  headers: { readonly [name: string]: string },
): Promise<{ readonly [name: string]: unknown } | undefined> {
  const response = await fetch(new URL(LINK_PATH, origin), {
    method: 'POST',
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(ASK_MS),
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    // Leaving the loop ends the connection.
    if (text.length > MAX_ANSWER_BYTES) return undefined
  }
  try {
    const value: unknown = response.ok ? JSON.parse(text) : undefined
    return isObject(value) ? value : undefined
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
