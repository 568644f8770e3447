/**
 * Bytes per door: what a program that imports a door pays in a bundle, against a table. A door that grows beyond its row
 * fails here; raise the row only with a reason. The floor that is aimed for is in `bench/floors.ts`.
 */

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const doors = fileURLToPath(new URL('../src/doors/', import.meta.url))

/** Minified kilobytes (1,000 bytes), libraries that the package depends on left out. */
const BUDGETS: { readonly [door: string]: number } = {
  server: 160,
  stdio: 162,
  http: 196,
  fetch: 189,
  client: 216,
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
  ])('the smallest server on stdio, with %s, stays within 162 kB and loads no HTTP', async (_schema, contents) => {
    const { bytes, imports } = await measure(contents)
    expect(bytes / 1000).toBeLessThan(162)
    expect(imports.filter((name) => /^node:(http|https|http2|net|tls|child_process)$/.test(name))).toEqual([])
  })

  it.each(ERRORS)('%s alone stays within 2 kB: who catches an error does not take the server along', async (name) => {
    const { bytes } = await measure(`import { ${name} } from './server.ts'\nconsole.log(${name})`)
    expect(bytes / 1000).toBeLessThan(2)
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

async function measure(contents: string): Promise<{ bytes: number; imports: string[]; modules: string[] }> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: doors, sourcefile: join(doors, 'entry.ts'), loader: 'ts' },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['ws', 'jose', 'oauth4webapi', 'zod'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const [output] = Object.values(metafile.outputs)
  if (output === undefined) throw new Error('esbuild made nothing')
  const modules = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return {
    bytes: output.bytes,
    imports: output.imports.map(({ path }) => path),
    modules: modules.map(([path]) => path),
  }
}
