/**
 * Searches a registry of servers (`GET /v0/servers`), the official one unless another is named. What it answers is
 * others' text and checked as such.
 */

import { createGuardedFetch } from '@portico/sdk/auth-node'
import { isObject, timeLimit } from '@portico/sdk/internal'
import type { RegistryEntry } from '../api-types/api.ts'
import { Refused } from '../http/failure.ts'
import { toRegistryEntry } from './registry-entry.ts'

const OFFICIAL = 'https://registry.modelcontextprotocol.io'

const MAX_ENTRIES = 50
const MAX_BYTES = 4 * 1_048_576
const SEARCH_MS = 10_000

/** An organisation may have a registry of its own. */
export function registryUrl(
  env: { readonly [name: string]: string | undefined },
  onWarning: (message: string) => void,
): string {
  const { PORTICO_REGISTRY_URL: own } = env
  if (own === undefined || own === '') return OFFICIAL
  if (URL.canParse(own) && /^https?:$/.test(new URL(own).protocol)) return own
  onWarning('PORTICO_REGISTRY_URL is no web address; the official registry is searched')
  return OFFICIAL
}

export async function searchRegistry(base: string, query: string, signal: AbortSignal): Promise<RegistryEntry[]> {
  const url = new URL('v0/servers', base.endsWith('/') ? base : `${base}/`)
  url.searchParams.set('search', query.slice(0, 200))
  url.searchParams.set('limit', String(MAX_ENTRIES))
  // Newer versions of the registry list every version of a server unless told otherwise.
  url.searchParams.set('version', 'latest')
  const get = createGuardedFetch({ server: new URL(base) })
  const response = await get(url.href, {
    headers: { accept: 'application/json' },
    signal: timeLimit(SEARCH_MS, signal),
  }).catch((error: unknown) => {
    throw unreachable(url.host, error instanceof Error ? error.message : String(error))
  })
  if (!response.ok) throw unreachable(url.host, `HTTP ${response.status}`)
  const body = await readBody(response, url.host)
  const servers = isObject(body) && Array.isArray(body.servers) ? body.servers : []
  const newest = new Map<string, RegistryEntry>()
  for (const server of servers.slice(0, 4 * MAX_ENTRIES)) {
    const entry = toRegistryEntry(server)
    // The first is the newest where several versions are listed.
    if (entry !== undefined && !newest.has(entry.name)) newest.set(entry.name, entry)
  }
  return [...newest.values()].slice(0, MAX_ENTRIES)
}

async function readBody(response: Response, host: string): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw unreachable(host, 'the answer is too large')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw unreachable(host, 'the answer is not JSON')
  }
}

function unreachable(host: string, why: string): Refused {
  return new Refused(502, {
    code: 'registry-unreachable',
    message: `The registry at ${host} cannot be searched: ${why.slice(0, 200)}`,
    remedy: 'Check the network connection, or add the server by its command or URL.',
  })
}
