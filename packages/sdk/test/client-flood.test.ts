/** A server that asks without end gets answers a few at a time, and costs no more than they do. */

import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { initialized, json, result, scriptedHttp, toolResult } from './client-peers.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const FLOOD = 10_000

test.each(['ping', 'roots/list', 'unknown/method'])(
  'sec-184: %s ten thousand times over on the stream of a call, and few answers are under way at once',
  async (method) => {
    let underWay = 0
    let most = 0
    let answers = 0
    const held: ServerResponse[] = []
    const server = await scriptedHttp((request, response) => {
      const { id, method: asked } = request.body ?? {}
      if (asked === 'initialize') json(response, 200, result(id, initialized()), { 'mcp-session-id': 's' })
      else if (asked === 'tools/call') flood(response, id)
      else if (asked !== undefined || request.body === undefined)
        response.writeHead(asked === undefined ? 405 : 202).end()
      else {
        answers++
        most = Math.max(most, ++underWay)
        // Answers are taken slowly: each waits for the one after the next.
        held.push(response)
        if (held.length > 4) release()
      }
    })
    open.push(() => server.close())
    const release = () => {
      underWay--
      held.shift()?.writeHead(202).end()
    }
    function flood(response: ServerResponse, id: unknown): void {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let at = 0; at < FLOOD; at++) {
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `q${at}`, method, params: {} })}\n\n`)
      }
      response.end(`data: ${JSON.stringify(result(id, toolResult('done')))}\n\n`)
    }
    const warnings: string[] = []
    const client = await connect(server.url, {
      versions: '2025-11-25',
      negotiations: false,
      roots: [{ uri: 'file:///a' }],
    })
    open.push(() => client.close())
    client.on('warning', ({ message }) => warnings.push(message))
    expect(await client.callTool('any')).toMatchObject(toolResult('done'))
    while (held.length > 0) release()
    expect(answers).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(8)
    expect(answers).toBeLessThan(1_000)
    expect(warnings).toContain('The server asks faster than it takes answers')
  },
)
