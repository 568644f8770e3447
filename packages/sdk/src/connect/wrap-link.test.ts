import { describe, expect, it } from 'vitest'
import { type Link, type ProcessView, requestParams } from '../client/link.ts'
import { tool } from '../server/items/definition.ts'
import { createServer } from '../server/server.ts'
import { connect } from './connect.ts'

describe('what may be put around a link', () => {
  it('sees every request that goes out, the handshake included', async () => {
    const server = createServer({ name: 's', version: '1', tools: { add: tool({ description: 'd' }, () => 'ok') } })
    const methods: string[] = []
    const wrapLink = (link: Link): Link => {
      const request = link.request.bind(link)
      link.request = (outgoing) => {
        methods.push(outgoing.method)
        expect(requestParams(outgoing)._meta).toBeDefined()
        request(outgoing)
      }
      return link
    }
    const client = await connect(server, { wrapLink })
    await client.callTool('add')
    expect(methods).toEqual(['server/discover', 'tools/call'])
    await client.close()
  })

  it('hears of a program before it speaks, and when it ends', async () => {
    const started: ProcessView[] = []
    const options = { onProcess: (process: ProcessView) => started.push(process), timeouts: { connectMs: 5_000 } }
    const target = { command: process.execPath, args: ['-e', 'process.exit(4)'] }
    await expect(connect(target, options)).rejects.toMatchObject({ code: 'closed' })
    expect(started.length).toBeGreaterThan(0)
    expect(started[0]?.pid).toBeGreaterThan(0)
    expect(await started[0]?.exited).toEqual({ code: 4, signal: null })
  })
})
