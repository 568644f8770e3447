/** Logs say what happened and never what was said: no arguments, results, tokens or session ids (sec-31). */

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPrincipal } from '../../auth/principal.ts'
import { resource, tool } from '../../server/items/definition.ts'
import { createServer } from '../../server/server.ts'
import { eachEra } from '../../testing/test-client.ts'
import { createLogger, logHooks, logRequests } from './log.ts'
import { withoutSecrets } from './log-secrets.ts'

function createSubject(lines: string[]) {
  const logger = createLogger({ write: (line) => lines.push(line), fields: { service: 'subject' } })
  const server = createServer({
    name: 's',
    version: '1',
    ...logHooks(logger),
    tools: {
      echo: tool({ input: z.object({ word: z.string() }) }, ({ word }) => word),
      fail: tool({}, () => {
        throw new Error('cannot reach https://user:hunter2@db.example with token=hunter3')
      }),
    },
    resources: { note: resource({ uri: 'note://{id}{?key}' }, () => 'hunter4') },
  })
  logRequests(server, logger)
  return server
}

test('every request is one line of JSON, without what it carried', async () => {
  const lines: string[] = []
  await eachEra(createSubject(lines), async (client) => {
    lines.length = 0
    await client.callTool('echo', { word: 'hunter1' })
    await client.callTool('fail')
    await client.readResource('note://a?key=hunter5')
    await client.readResource('none://x').catch(() => {})
    const records = lines.map((line) => JSON.parse(line) as { [name: string]: unknown })
    expect(
      records.map(({ message, method, name, uri, where, level }) => [message, method ?? where, name ?? uri, level]),
    ).toEqual([
      ['request', 'tools/call', 'echo', 'info'],
      ['failure', 'tool fail', undefined, 'error'],
      ['request', 'tools/call', 'fail', 'info'],
      ['request', 'resources/read', 'note://a', 'info'],
      ['request', 'resources/read', 'none://x', 'warn'],
    ])
    expect(records.every(({ service, time }) => service === 'subject' && typeof time === 'string')).toBe(true)
    expect(records[0]).toMatchObject({ version: client.version, durationMs: expect.any(Number) })
    expect(lines.join('\n')).not.toMatch(/hunter/)
  })
})

test('who asked is written only when wanted', async () => {
  for (const principal of [true, false]) {
    const lines: string[] = []
    const server = createServer({ name: 's', version: '1', tools: { t: tool({}, () => '') } })
    logRequests(server, createLogger({ write: (line) => lines.push(line) }), { principal })
    await eachEra(server, (client) => client.callTool('t'), { principal: createPrincipal('ada') })
    expect(lines.some((line) => line.includes('"principal":"ada"'))).toBe(principal)
  }
})

test('lines below the level are not written, and what cannot be serialized does not throw', () => {
  const lines: string[] = []
  const logger = createLogger({ write: (line) => lines.push(line), level: 'warn' })
  logger.log('info', 'quiet')
  logger.log('error', 'loud', { value: 1n })
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['loud'])
})

describe('secrets in free text', () => {
  test.each([
    'Authorization: Bearer abcdef123456',
    'failed for eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    'https://ada:abcdef123456@host/x',
    '{"client_secret":"abcdef123456"}',
    'GET /cb?token=abcdef123456&x=1',
    'mcp-session-id: abcdef123456',
  ])('are taken out of %j', (text) => {
    expect(withoutSecrets(text)).not.toMatch(/abcdef123456|eyJ/)
  })

  test('leave the rest alone', () => {
    expect(withoutSecrets('Cannot read https://host/x: 404')).toBe('Cannot read https://host/x: 404')
  })
})
