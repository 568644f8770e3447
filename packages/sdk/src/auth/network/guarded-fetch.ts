/**
 * The `fetch` for addresses that a server has named: metadata and the endpoints in it. Follows no one inward, to another
 * scheme or to another origin, and takes no more time or bytes than such a document needs (sec-80, sec-92). On Node the
 * address that was judged is the address that is dialled (`guarded-fetch-node.ts`).
 */

import { timeLimit } from '../../jsonrpc/time-limit.ts'
import { authFailure } from '../client/failure.ts'
import { type AuthFetch, type GuardedFetchOptions, judgeTarget } from './guarded-target.ts'

/**
 * Makes a `fetch` for addresses that strangers name. It reaches only what the options allow, redirects included, and
 * takes at most 10 seconds and a megabyte.
 *
 * @example
 * ```ts
 * import { createGuardedFetch } from '@portico/sdk/auth-node'
 *
 * const guarded = createGuardedFetch({ server: new URL('https://mcp.example.com/mcp') })
 * const answer = await guarded('https://login.example.com/.well-known/oauth-authorization-server', {})
 * ```
 */
export function createGuardedFetch(options: GuardedFetchOptions): AuthFetch {
  const { maxRedirects = MAX_REDIRECTS } = options
  let dial: Promise<AuthFetch> | undefined
  return async (url, init) => {
    dial ??= createDial(options)
    const signal = init.signal === undefined ? timeLimit(TIME_LIMIT_MS) : timeLimit(TIME_LIMIT_MS, init.signal)
    let target = new URL(url)
    for (let hops = 0; ; hops++) {
      judgeTarget(target, options, init.method !== undefined && init.method !== 'GET')
      const response = await (await dial)(target.href, { ...init, redirect: 'manual', signal })
      const next = redirectOf(response, target, init.method ?? 'GET')
      if (next === undefined) return bounded(response)
      await response.body?.cancel()
      if (hops === maxRedirects) throw authFailure('blocked-target', `${target.host} redirects without end`)
      target = next
    }
  }
}

const TIME_LIMIT_MS = 10_000
const MAX_BYTES = 1_048_576
const MAX_REDIRECTS = 3

async function createDial(options: GuardedFetchOptions): Promise<AuthFetch> {
  if (options.fetch !== undefined) return options.fetch
  if (!isNode()) return (url, init) => globalThis.fetch(url, init as RequestInit)
  const { createPinnedFetch } = await import('./guarded-fetch-node.ts')
  return createPinnedFetch(options)
}

/** Where a redirect leads. Only reading may be repeated elsewhere, and only on the same origin. */
function redirectOf(response: Response, target: URL, method: string): URL | undefined {
  if (response.type === 'opaqueredirect') throw authFailure('blocked-target', `${target.host} redirects`)
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined
  const location = response.headers.get('location') ?? ''
  const next = URL.canParse(location, target.href) ? new URL(location, target) : undefined
  if (next === undefined || next.origin !== target.origin || method !== 'GET') {
    throw authFailure('blocked-target', `${target.host} redirects to somewhere else`)
  }
  return next
}

/** The same response with its body in memory, if that is small enough. */
async function bounded(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > MAX_BYTES) {
      await reader.cancel()
      throw authFailure('blocked-target', `An answer of more than ${MAX_BYTES} bytes was not read`)
    }
    chunks.push(value)
  }
  const { status, headers } = response
  const body = [204, 205, 304].includes(status) ? null : new Blob(chunks as Uint8Array<ArrayBuffer>[])
  return new Response(body, { status, headers })
}

function isNode(): boolean {
  const runtime = globalThis as { process?: { versions?: { node?: string } }; Bun?: unknown; Deno?: unknown }
  return runtime.process?.versions?.node !== undefined && runtime.Bun === undefined && runtime.Deno === undefined
}
