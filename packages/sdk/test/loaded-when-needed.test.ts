/** What a server does not use it does not load: in a real process from source, and in a bundle that is one file. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const doors = fileURLToPath(new URL('../src/doors/', import.meta.url))

/** The parts by a module that only they have. */
const PARTS: { readonly [part: string]: RegExp } = {
  faults: /features\/tool-faults/,
  engine: /json-schema-refs/,
  asking: /asking\/questions/,
  overflow: /budget\/overflow/,
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'needed-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a server on stdio loads what its calls need (house 2)', () => {
  it('from source: nothing more for Zod and for plain JSON Schema, then each part with the first call that needs it', async () => {
    const at = (name: string) => pathToFileURL(join(doors, name)).href
    await writeFile(join(folder, 'server.mjs'), program(at('server.ts'), at('stdio.ts'), import.meta.resolve('zod')))
    await writeFile(join(folder, 'trace.mjs'), TRACE)
    const imports = [import.meta.resolve('tsx'), pathToFileURL(join(folder, 'trace.mjs')).href]
    await using server = await start([...imports.map((url) => `--import=${url}`), join(folder, 'server.mjs')])
    expect(await server.call('zod', { city: 'Oslo' })).toBe('Oslo')
    expect(await server.call('plain', { city: 'Oslo' })).toBe('Oslo')
    expect(await server.parts()).toEqual([])
    expect(server.loaded.join()).toMatch('server/endpoint')

    expect(await server.call('zod', { city: 7 })).toMatch('Invalid arguments')
    expect(await server.parts()).toEqual(['faults'])

    expect(await server.call('plain', { city: 7 })).toMatch('city: expected a string, got a number')
    expect(await server.parts()).toEqual(['faults', 'engine'])

    expect(await server.call('ask', {})).toBe('Bergen')
    expect(await server.parts()).toEqual(['faults', 'engine', 'asking'])
  })

  it('in one file without chunks: everything is in it and works, for bundlers that cannot split and for executables', async () => {
    const outfile = join(folder, 'single.mjs')
    const contents = program('./server.ts', './stdio.ts', 'zod')
    await build({
      stdin: { contents, resolveDir: doors, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      outfile,
      logLevel: 'silent',
    })
    await using server = await start([outfile])
    expect(await server.call('deep', { city: 'Oslo' })).toBe('Oslo')
    expect(await server.call('deep', { city: 7 })).toMatch('Invalid arguments')
    expect(await server.call('ask', {})).toBe('Bergen')
  })
})

function program(server: string, stdio: string, zod: string): string {
  return `
import { createServer, tool } from '${server}'
import { serveStdio } from '${stdio}'
import { z } from '${zod}'
import { writeSync } from 'node:fs'
const city = { type: 'string' }
const deep = { type: 'object', properties: { city: { anyOf: [city, { type: 'null' }] } } }
const tools = {
  mark: tool({}, () => String(writeSync(2, 'mark\\n'))),
  zod: tool({ input: z.object({ city: z.string() }) }, ({ city }) => city),
  plain: tool({ input: { type: 'object', properties: { city }, required: ['city'] } }, ({ city }) => city),
  deep: tool({ input: deep }, ({ city }) => String(city)),
  ask: tool({}, async (_args, ctx) => {
    const form = { type: 'object', properties: { city } }
    const { content } = await ctx.elicit({ message: 'Where?', form })
    return String(content?.city)
  }),
}
serveStdio(createServer({ name: 'a', version: '1', tools }))`
}

/** Tells on standard error what is loaded. */
const LOADER = `
import { writeSync } from 'node:fs'
export function load(url, context, next) {
  writeSync(2, 'loads ' + url + '\\n')
  return next(url, context)
}`
const TRACE = `
import { register } from 'node:module'
register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(LOADER))})`

interface Talk extends AsyncDisposable {
  readonly loaded: string[]
  /** The parts that were loaded so far, in their order. */
  parts(): Promise<string[]>
  /** Calls a tool and gives its text; a question on the way is answered. */
  call(name: string, args: object): Promise<string>
}

async function start(args: string[]): Promise<Talk> {
  const child = spawn(process.execPath, args, { stdio: 'pipe' })
  const loaded: string[] = []
  let marked = (): void => {}
  createInterface({ input: child.stderr }).on('line', (line) => {
    loaded.push(line)
    if (line === 'mark') marked()
  })
  const waiting = new Map<unknown, (result: { content?: [{ text: string }] }) => void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method, result } = JSON.parse(line)
    if (method === undefined) waiting.get(id)?.(result)
    else send(child, { id, result: { action: 'accept', content: { city: 'Bergen' } } })
  })
  let last = 0
  const ask = (method: string, params: object) =>
    new Promise<{ content?: [{ text: string }] }>((resolve) => {
      waiting.set(++last, resolve)
      send(child, { id: last, method, params })
    })
  const clientInfo = { name: 'c', version: '1' }
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo })
  send(child, { method: 'notifications/initialized' })
  const call = async (name: string, given: object): Promise<string> =>
    String((await ask('tools/call', { name, arguments: given })).content?.[0].text)
  return {
    loaded,
    call,
    parts: async () => {
      // What was written before the mark has been read when the mark has.
      const seen = new Promise<void>((resolve) => {
        marked = resolve
      })
      await Promise.all([call('mark', {}), seen])
      return loaded.flatMap((line) => Object.keys(PARTS).filter((part) => PARTS[part]!.test(line)))
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.stdin.end()
      }),
  }
}

function send(child: ChildProcess, message: object): void {
  child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
