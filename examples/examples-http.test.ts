/** The examples that serve over HTTP, run as processes and called over real sockets (fetch.ts: by its own handler). */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { HttpExample, legacyRequest, modernRequest, responseOf } from './test/http-example.ts'
import { envelope, exampleArguments, StdioExample } from './test/stdio-example.ts'

const shell = promisify(execFile)
let running: HttpExample | undefined

afterEach(() => {
  running?.child.kill()
  running = undefined
})

function run(file: string, env: { [name: string]: string } = {}): HttpExample {
  running = new HttpExample(file, { PORT: '0', ...env })
  return running
}

describe('http', () => {
  test('serves both eras on one URL and ends on Ctrl-C', async () => {
    const dice = run('http.ts')
    const [, url = ''] = await dice.printed(/Serving on (\S+)/)
    const roll = { name: 'roll', arguments: { sides: 6 } }
    const modern = await responseOf(await fetch(modernRequest(url, 'tools/call', roll)))
    expect(modern.result.content[0].text).toMatch(/^[1-6] \(asked by 2026-07-28\)$/)

    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const opened = await fetch(legacyRequest(url, { id: 1, method: 'initialize', params }))
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-06-18',
    }
    expect((await responseOf(opened)).result.protocolVersion).toBe('2025-06-18')
    expect((await fetch(legacyRequest(url, { method: 'notifications/initialized' }, session))).status).toBe(202)
    const call = legacyRequest(url, { id: 2, method: 'tools/call', params: roll }, session)
    expect((await responseOf(await fetch(call))).result.content[0].text).toMatch(/asked by 2025-06-18/)

    const foreign = modernRequest(url, 'tools/list')
    foreign.headers.set('origin', 'https://evil.example')
    expect((await fetch(foreign)).status).toBe(403)
    expect(await dice.stop()).toBe(0)
  })
})

test('fetch: answers a Request with a Response, and only on its path', async () => {
  const call = async (url: string) => {
    const { stdout } = await shell(process.execPath, exampleArguments('test/fetch-call.ts', [url, 'tools/call']))
    return JSON.parse(stdout)
  }
  const { body } = await call('http://localhost/mcp')
  expect(Date.parse(body.result.content[0].text)).not.toBeNaN()
  expect((await call('http://localhost/other')).status).toBe(404)
})

describe('start', () => {
  test('takes the next port when the wanted one is taken, and says so', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as AddressInfo
    try {
      const start = run('start.ts', { PORT: String(port) })
      const [, taken, url] = await start.printed(/Port (\d+) is taken[\s\S]*(http:\S+\/mcp)[\s\S]*Ctrl-C/)
      expect(Number(taken)).toBe(port)
      expect(Number(new URL(url ?? '').port)).toBeGreaterThan(port)
      expect(await start.stop('SIGTERM')).toBe(0)
    } finally {
      squatter.close()
    }
  })

  test('prints a curl line that works when pasted', async (context) => {
    const hasCurl = await shell('curl', ['--version']).then(
      () => true,
      () => false,
    )
    if (!hasCurl) return context.skip()
    const start = run('start.ts')
    const [, curl = ''] = await start.printed(/\n( {2}curl[\s\S]*?)\n\n/)
    const { stdout } = await shell('sh', ['-c', curl.replace('curl', 'curl --silent')])
    expect(JSON.parse(stdout).result.structuredContent).toEqual({ titles: ['welcome'] })
  })

  test('prints a configuration by which a client can start it', async () => {
    const start = run('start.ts')
    const [, config = ''] = await start.printed(/\n {2}(\{"mcpServers".*\})\n/)
    const { command, args } = JSON.parse(config).mcpServers.notes
    const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope() } }
    const child = spawn(command, args, { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.end(`${JSON.stringify(discover)}\n`)
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    expect(JSON.parse(line).result.supportedVersions[0]).toBe('2026-07-28')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('keeps notes: saves, searches, lists as resources, prompts, and asks before it deletes', async () => {
    const notes = new StdioExample('start.ts', ['--stdio'])
    const tool = async (name: string, args = {}, more = {}) =>
      (await notes.modern('tools/call', { name, arguments: args, ...more }, { elicitation: {} })).result
    await tool('add', { title: 'milk & honey', text: 'Buy both' })
    expect((await tool('search', { words: 'BOTH' })).structuredContent).toEqual({ titles: ['milk & honey'] })
    const uri = 'notes://milk%20%26%20honey'
    expect((await notes.modern('resources/list')).result.resources.at(-1)).toEqual({ name: 'milk & honey', uri })
    expect((await notes.modern('resources/read', { uri })).result.contents[0].text).toBe('Buy both')
    const summary = await notes.modern('prompts/get', { name: 'summarize', arguments: { title: 'milk & honey' } })
    expect(summary.result.messages[0].content.text).toBe('Summarize:\nBuy both')

    const asked = await tool('remove', { title: 'milk & honey' })
    const [key = ''] = Object.keys(asked.inputRequests)
    const answers = { [key]: { action: 'accept', content: { sure: true } } }
    const more = { requestState: asked.requestState, inputResponses: answers }
    expect((await tool('remove', { title: 'milk & honey' }, more)).content[0].text).toBe('Deleted.')
    expect((await tool('list')).structuredContent).toEqual({ titles: ['welcome'] })
    expect((await tool('remove', { title: 'none' })).isError).toBe(true)
    expect(await notes.end()).toBe(0)
  })
})
