/** What Streamable HTTP asks of a server beside the messages: sent by hand, since a client would not make these mistakes. */

import { timeLimit } from '@portico/sdk/internal'
import type { Outcome } from './conformance-checks.ts'

interface HttpCheck {
  readonly name: string
  run(url: string, headers: { readonly [name: string]: string }, signal: AbortSignal): Promise<Outcome>
}

const MODERN = '2026-07-28'
const MAX_MS = 10_000

const PING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} },
  },
})

export const HTTP_CHECKS: readonly HttpCheck[] = [
  {
    name: 'refuses a page of another origin (DNS rebinding)',
    run: async (url, headers, signal) => {
      const { hostname } = new URL(url)
      if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
        return { outcome: 'skip', detail: 'not on this machine' }
      const status = await post(url, PING, { ...headers, origin: 'https://attacker.example' }, signal)
      return expectStatus(status, (one) => one === 403, '403')
    },
  },
  {
    name: 'answers what is not JSON with 400',
    run: async (url, headers, signal) => {
      const status = await post(url, '{"jsonrpc": "2.0", ', headers, signal)
      return expectStatus(status, (one) => one === 400, '400')
    },
  },
  {
    name: 'refuses a body that does not say that it is JSON',
    run: async (url, headers, signal) => {
      const status = await post(url, PING, { ...headers, 'content-type': 'text/plain' }, signal)
      return expectStatus(status, (one) => one >= 400 && one < 500, '4xx')
    },
  },
  {
    name: 'refuses a revision that nobody has with 400',
    run: async (url, headers, signal) => {
      const status = await post(
        url,
        PING.replaceAll(MODERN, '1999-01-01'),
        { ...headers, 'mcp-protocol-version': '1999-01-01' },
        signal,
      )
      return expectStatus(status, (one) => one === 400, '400')
    },
  },
]

async function post(
  url: string,
  body: string,
  headers: { readonly [name: string]: string },
  signal: AbortSignal,
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': 'server/discover',
      ...headers,
    },
    signal: timeLimit(MAX_MS, signal),
  })
  await response.body?.cancel()
  return response.status
}

function expectStatus(status: number, fits: (status: number) => boolean, wanted: string): Outcome {
  return fits(status)
    ? { outcome: 'pass', detail: String(status) }
    : { outcome: 'fail', detail: `${status} instead of ${wanted}` }
}
