/** A server is there, and the address lacks its path: the error says where servers mostly are. */

import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer } from '@portico/sdk/server'
import { expect, it } from 'vitest'

it.each([
  ['both eras', {}],
  ['2026-07-28 alone', { versions: ['2026-07-28'] as const }],
  ['2025-11-25 alone', { versions: ['2025-11-25'] as const }],
])('connecting to the root of a server suggests /mcp: %s (newcomer 19)', async (_, options) => {
  const http = await serveHttp(createServer({ name: 'weather', version: '1' }), { port: 0 })
  const { origin } = new URL(http.url)
  const error = await connect(`${origin}/`, options).catch((error: unknown) => error)
  await http.close()
  expect(error).toBeInstanceOf(Error)
  expect(messages(error)).toContain(`try ${origin}/mcp`)
})

/** What a person reads: the error, and what caused it. */
function messages(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${messages(error.cause)}` : ''
}
