/**
 * Bytes per door: what a program that imports a door pays in a bundle at once, against a table; parts that are loaded when
 * they are needed are counted apart (`docs/decisions/loaded-when-needed.md`). A door that grows beyond its row fails here;
 * raise the row only with a reason. The floor that is aimed for is in `bench/floors.ts`.
 */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const doors = fileURLToPath(new URL('../src/doors/', import.meta.url))

/** Minified kilobytes (1,000 bytes), libraries that the package depends on left out. */
const BUDGETS: { readonly [door: string]: number } = {
  server: 115,
  stdio: 115,
  http: 153,
  fetch: 146,
  client: 179,
}

const SMALLEST = toServer(`{ type: 'object', properties: { city: { type: 'string' } } }`)
const SMALLEST_ZOD = toServer('z.object({ city: z.string() })')

function toServer(input: string): string {
  return `
import { createServer, tool } from './server.ts'
import { serveStdio } from './stdio.ts'
import { z } from 'zod'
const input = ${input}
serveStdio(createServer({ name: 'a', version: '1', tools: { forecast: tool({ input }, ({ city }) => city) } }))`
}

const ERRORS = ['PorticoError', 'RpcError', 'ToolError', 'ScopeError', 'CapabilityError', 'Suspended']

/** What the smallest server has no use for, and loads when it does. */
const LATER =
  /\/(json-schema|json-schema-(refs|scalars|objects|arrays|logic|state)|pattern|pattern-(syntax|program)|asking|questions|rounds|sealed-state|handler-run|round-once|session-request|pending|elicitation|elicitation-forms|sampling|sampling-messages|overflow|budget-store|tool-faults|invalid-arguments|unserializable|json-schema-issues|slow-report)\.ts$/

/** Whatever is of tasks alone, but for the question whether there are any. */
const TASKS = /\/(protocol\/tasks|server\/tasks\/[\w-]+|client\/tasks\/(?!load|support)[\w-]+)\.ts$/

describe('the bytes of a door', () => {
  it.each(Object.entries(BUDGETS))('%s stays within %d kB', async (door, budget) => {
    const { bytes } = await measure(`export * from './${door}.ts'`)
    expect(bytes / 1000).toBeLessThan(budget)
    // A row that has become generous no longer guards anything.
    expect(bytes / 1000).toBeGreaterThan(budget * 0.6)
  })

  it.each([
    ['JSON Schema', SMALLEST],
    ['Zod', SMALLEST_ZOD],
  ])('the smallest server on stdio, with %s, stays within 115 kB and loads no HTTP', async (_schema, contents) => {
    const { bytes, whole, imports, modules } = await measure(contents)
    expect(bytes / 1000).toBeLessThan(115)
    // With all that it could load: where a bundler makes one file of everything, that is the size.
    expect(whole / 1000).toBeLessThan(176)
    expect(imports.filter((name) => /^node:(http|https|http2|net|tls|child_process)$/.test(name))).toEqual([])
    expect(modules.filter((module) => LATER.test(module))).toEqual([])
  })

  it.each([
    ['a client', `export * from './client.ts'`],
    ['a server', SMALLEST],
  ])('%s has nothing of tasks in it before a call becomes one', async (_who, contents) => {
    const { modules } = await measure(contents)
    expect(modules.filter((module) => TASKS.test(module))).toEqual([])
  })

  it.each(ERRORS)('%s alone stays within 4 kB: who catches an error does not take the server along', async (name) => {
    const { bytes } = await measure(`import { ${name} } from './server.ts'\nconsole.log(${name})`)
    expect(bytes / 1000).toBeLessThan(4)
  })

  it('what only some servers do comes with what they import for it', async () => {
    const { modules } = await measure(SMALLEST)
    const carried =
      /(uri-template|(resource|prompt|completion)-entry|relay|formats|client-messages|skills|lint|call-rate)/
    expect(modules.filter((module) => carried.test(module))).toEqual([])
    const whole = await measure(`export * from './server.ts'\nexport * from './relay.ts'`)
    expect(whole.modules.filter((module) => carried.test(module)).length).toBeGreaterThan(5)
  })
})

interface Measured {
  /** Minified: the entry and what it imports at once. */
  readonly bytes: number
  /** With everything that it can load later. */
  readonly whole: number
  readonly imports: string[]
  readonly modules: string[]
}

/** Bundles as bundlers do that keep what is loaded on demand apart, and counts what is loaded at once. */
async function measure(contents: string): Promise<Measured> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: doors, sourcefile: join(doors, 'entry.ts'), loader: 'ts' },
    bundle: true,
    splitting: true,
    outdir: 'out',
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['ws', 'jose', 'oauth4webapi', 'zod'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const { outputs } = metafile
  const reached = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.endsWith('entry.ts')))
  for (const path of reached) {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind !== 'dynamic-import') reached.add(next)
  }
  const files = [...reached].flatMap((path) => outputs[path] ?? [])
  if (files.length === 0) throw new Error('esbuild made nothing')
  const inputs = files.flatMap((file) => Object.entries(file.inputs))
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    whole: Object.values(outputs).reduce((sum, { bytes }) => sum + bytes, 0),
    imports: [...reached],
    modules: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
  }
}
