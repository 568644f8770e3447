/**
 * `bridge` between worlds: a client of the official SDK 1.32.2, which knows nothing newer than 2025-11-25, uses a protected
 * server of 2026-07-28 with sign-in in a browser; a client of 2026-07-28 uses a program of SDK 1.32.2 behind a token.
 */

import assert from 'node:assert/strict'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { requireBearer } from '@portico/sdk/bearer'
import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { freePort } from '../support/free-port.ts'
import { signIn } from '../support/person.ts'
import type { Trial } from '../support/suite.ts'
import { inPlace } from './place.ts'
import { EVERYTHING, missingPublished } from './published-servers.ts'

/** A server that only knows the newest revision, asks in the middle of a call, and lets nobody in without a token. */
async function startProtected(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const [port, issuerPort] = [await freePort(), await freePort()]
  const issuer = `http://127.0.0.1:${issuerPort}`
  const resource = `http://127.0.0.1:${port}/mcp`
  const issuing = await createAuthorizationServer({ issuer, resources: [resource], password: 'correct horse' }).listen()
  const server = createServer({
    name: 'vault',
    version: '1.0.0',
    versions: ['2026-07-28'],
    tools: {
      open: tool({ description: 'Asks for the word' }, async (_, ctx) => {
        const form = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const
        const answer = await ctx.elicit('word', { message: 'The word?', form })
        const word = answer.action === 'accept' ? answer.content?.word : undefined
        return `${ctx.principal === undefined ? 'nobody' : 'somebody'} said ${String(word)}`
      }),
    },
  })
  const http = await serveHttp(server, { port, auth: requireBearer({ issuer, resource }) })
  return {
    url: http.url,
    async close() {
      await http.close()
      await issuing.close()
    },
  }
}

async function officialClientThroughBridge(): Promise<void> {
  const [{ Client }, { StdioClientTransport }, { ElicitRequestSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const vault = await startProtected()
  try {
    await inPlace(async ({ folder, env, portico }) => {
      const transport = new StdioClientTransport({
        ...portico('bridge', vault.url),
        cwd: folder,
        env: { ...env },
        stderr: 'pipe',
      })
      let said = ''
      const signedIn = new Promise<string>((resolve, reject) => {
        transport.stderr?.on('data', (chunk: Buffer) => {
          said += chunk.toString()
          const [, page] = /Sign in at \S+\n\s+(http\S+)\n/.exec(said) ?? []
          if (page !== undefined) signIn(page, 'owner', 'correct horse').then(resolve, reject)
        })
      })
      const client = new Client({ name: 'official', version: '1.32.2' }, { capabilities: { elicitation: {} } })
      client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { word: 'friend' } }))
      await client.connect(transport)
      assert.match(await signedIn, /close this page/)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }: { readonly name: string }) => name),
        ['open'],
      )
      const { content } = await client.callTool({ name: 'open', arguments: {} })
      assert.deepEqual(content, [{ type: 'text', text: 'somebody said friend' }])
      await client.close()

      // The token is kept: a second start needs no person.
      const again = new Client({ name: 'official', version: '1.32.2' })
      await again.connect(
        new StdioClientTransport({ ...portico('bridge', vault.url), cwd: folder, env: { ...env }, stderr: 'ignore' }),
      )
      assert.equal((await again.listTools()).tools.length, 1)
      await again.close()
    })
  } finally {
    await vault.close()
  }
}

async function officialServerThroughBridge(): Promise<void> {
  await inPlace(async ({ start }) => {
    const words = ['bridge', '--http', '0', '--', process.execPath, EVERYTHING]
    const running = await start(words, 'stdout', /http:\S+/)
    const [url] = running.found
    const [, token] = await running.until('stderr', /Authorization: Bearer (\S+)/)
    await assert.rejects(connect(url, { versions: '2026-07-28' }))
    const client = await connect(url, {
      versions: '2026-07-28',
      headers: { authorization: `Bearer ${token}` },
      elicitation: { form: async () => ({ action: 'decline' }) },
    })
    assert.equal(client.version, '2026-07-28')
    assert.ok((await client.listTools()).some(({ name }) => name === 'trigger-elicitation-request'))
    const echoed = await client.callTool('echo', { message: 'across' })
    assert.match(JSON.stringify(echoed.content), /across/)
    const asked = await client.callTool('trigger-elicitation-request', {})
    assert.match(JSON.stringify(asked.content), /declin/i)
    await client.close()
    const { code } = await running.end()
    assert.equal(code, 0)
  })
}

export const trials: readonly Trial[] = [
  {
    name: 'bridge: an official 1.32.2 stdio client uses a protected server of 2026-07-28',
    missing: missingPublished,
    run: officialClientThroughBridge,
  },
  {
    name: 'bridge: a 2026-07-28 client uses an official 1.32.2 stdio server on a protected port',
    missing: missingPublished,
    run: officialServerThroughBridge,
  },
]
