/** The axes that run no server: bytes of a bundle, what an installation brings, and how long types take to check. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleSize } from './bundle-size.ts'
import { CLI_AXIS } from './cli-axis.ts'
import { type Figure, median, single } from './figures.ts'
import { PAGE_AXIS } from './page-axis.ts'
import { benchFolder, rootFolder, workFolder } from './prepare.ts'
import type { StaticAxis } from './static-axis.ts'
import { TASKS_AXIS } from './tasks-axis.ts'

export type { StaticAxis } from './static-axis.ts'

export const STATIC_AXES: readonly StaticAxis[] = [
  {
    name: 'bytes',
    title: 'the smallest stdio server in a bundle',
    unit: 'bytes, minified',
    about:
      'esbuild, minified, for Node; Portico without a schema library, the others with Zod as they need it. What is loaded at once, and with all that is loaded when it is needed.',
    measure: measureBundles,
  },
  {
    name: 'install',
    title: 'what an installation brings',
    unit: 'packages, bytes',
    about: 'The package and everything it depends on; peer dependencies of the schema library are not counted.',
    measure: measureInstall,
  },
  {
    name: 'types',
    title: 'type-checking a project',
    unit: 'ms',
    about: 'tsc --noEmit on a server with so many tools, each with a nested schema in Zod; total time of the compiler.',
    measure: measureTypes,
  },
  CLI_AXIS,
  PAGE_AXIS,
  TASKS_AXIS,
]

function measureBundles(): Figure[] {
  const programs = { portico: 'portico', 'portico with Zod': 'portico-zod', 'official 2.4.0': 'official-2' }
  return Object.entries({ ...programs, 'official 1.32.2': 'official-1', tmcp: 'tmcp' }).flatMap(([name, program]) => {
    const { atOnce, whole } = bundleSize(join(workFolder, 'programs', 'start', `${program}.js`))
    return [single('bytes', 'bundle', 'bytes', name, atOnce), single('bytes', 'with everything', 'bytes', name, whole)]
  })
}

function measureInstall(): Figure[] {
  const installed: { [name: string]: readonly string[] } = {
    portico: ['@portico/sdk'],
    'official 2.4.0': ['@modelcontextprotocol/server', '@modelcontextprotocol/node'],
    'official 1.32.2': ['@modelcontextprotocol/sdk'],
    tmcp: ['tmcp', '@tmcp/transport-http', '@tmcp/transport-stdio', '@tmcp/adapter-zod'],
    'mcp-lite': ['mcp-lite'],
    fastmcp: ['fastmcp'],
  }
  return Object.entries(installed).flatMap(([name, packages]) => {
    const folders = closure(packages)
    const bytes = [...folders].reduce((sum, folder) => sum + bytesIn(folder), 0)
    return [
      single('install', 'packages', 'packages', name, folders.size),
      single('install', 'bytes', 'bytes', name, bytes),
    ]
  })
}

/** The folders of packages and all that they depend on. */
function closure(packages: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (name: string, from: string): void => {
    const folder = resolvePackage(name, from)
    if (folder === undefined || found.has(folder)) return
    found.add(folder)
    const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    for (const dependency of Object.keys(dependencies)) visit(dependency, folder)
  }
  for (const name of packages) visit(name, name.startsWith('@portico') ? workFolder : benchFolder)
  return found
}

function resolvePackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
    if (folder === dirname(folder)) return undefined
  }
}

function bytesIn(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    // Nested packages are counted by themselves.
    if (entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? bytesIn(path) : statSync(path).size
  }
  return bytes
}

function measureTypes(rounds: number): Figure[] {
  return [100, 300].flatMap((count) => {
    const name = `${count} tools`
    const folder = join(workFolder, 'types', String(count))
    mkdirSync(folder, { recursive: true })
    const schemas = Array.from({ length: count }, (_, index) => schemaSource(index)).join('\n')
    writeFileSync(join(folder, 'schemas.ts'), `import { z } from 'zod'\n${schemas}\n`)
    writeFileSync(join(folder, 'types.ts'), typesSource(count))
    writeFileSync(join(folder, 'server.ts'), serverSource(count))
    const times = { alone: [] as number[], types: [] as number[], tools: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      times.alone.push(check(folder, 'schemas.ts'))
      times.types.push(check(folder, 'types.ts'))
      times.tools.push(check(folder, 'server.ts'))
    }
    return [
      toFigure(name, 'schemas alone', times.alone),
      toFigure(name, 'schemas and their types', times.types),
      toFigure(name, 'portico', times.tools),
    ]
  })
}

function toFigure(name: string, contestant: string, times: number[]): Figure {
  const range = { low: Math.min(...times), high: Math.max(...times) }
  return { axis: 'types', case: name, contestant, unit: 'ms', median: median(times), ...range }
}

function schemaSource(index: number): string {
  return `export const input${index} = z.object({
  path: z.string().describe('where'), depth${index}: z.number().int().optional(),
  filter: z.object({ kind: z.enum(['file', 'folder', 'k${index}']), tags: z.array(z.string()), range: z.object({ from: z.number(), to: z.number() }).optional() }),
})
export const output${index} = z.object({ hits: z.array(z.object({ path: z.string(), score${index}: z.number() })) })`
}

/** The handlers of `serverSource` by themselves: what it costs to use what the schemas describe, with no SDK. */
function typesSource(count: number): string {
  const handlers = Array.from({ length: count }, (_, index) => {
    const types = `({ path, filter }: z.output<typeof s.input${index}>): z.input<typeof s.output${index}>`
    return `export const tool${index} = ${types} => ({ hits: [{ path: path + filter.kind, score${index}: filter.range?.to ?? 0 }] })`
  })
  return `import type { z } from 'zod'\nimport * as s from './schemas.ts'\n${handlers.join('\n')}\n`
}

function serverSource(count: number): string {
  const tools = Array.from({ length: count }, (_, index) => {
    const call = `({ path, filter }) => ({ hits: [{ path: path + filter.kind, score${index}: filter.range?.to ?? 0 }] })`
    return `tool${index}: tool({ input: s.input${index}, output: s.output${index} }, ${call}),`
  })
  const last = count - 1
  return `import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import * as s from './schemas.ts'
export const server = createServer({ name: 'types', version: '1.0.0', tools: {\n${tools.join('\n')}\n} })
const client = await connect<typeof server>(server)
const found = await client.tools.tool${last}({ path: 'a', filter: { kind: 'k${last}', tags: [] } })
export const score: number = found.hits[0]!.score${last}
`
}

/** The compiler's own total, in milliseconds. Errors are the measurement's failure. */
function check(folder: string, file: string): number {
  const tsc = join(rootFolder, 'node_modules', 'typescript', 'bin', 'tsc')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext']
  const more = ['--allowImportingTsExtensions', '--types', 'node', '--extendedDiagnostics', '--ignoreConfig', file]
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...flags, ...more], { cwd: folder, encoding: 'utf8' })
  const total = /Total time:\s*([\d.]+)s/.exec(stdout)
  if (status !== 0 || total === null) throw new Error(`type-checking ${file} failed:\n${stdout.slice(0, 2000)}`)
  return Number(total[1]) * 1000
}
