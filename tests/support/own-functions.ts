/**
 * Which functions of this repository run while something happens, as the engine itself counts them. The packages are put
 * into one file first: as loaders serve them one by one, every use of an import can be a function too. Initialisers of
 * class fields, which the engine lists as functions, are left out.
 */

import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export interface FunctionsRun {
  /** Each once, as `packages/sdk/src/framing/json.ts parseJson`, in the order of the bundle. */
  readonly distinct: readonly string[]
  /** How often they were called, all together. */
  readonly calls: number
}

export interface Bundle<Doors> {
  readonly doors: Doors
  /** Runs the work once and says which own functions took part. */
  run(work: () => Promise<unknown>): Promise<FunctionsRun>
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FIELDS = '<instance_members_initializer>'

/**
 * @example
 * ```ts
 * const sdk = await bundle<{ parseJson(text: string): unknown }>("export { parseJson } from '@portico/sdk/internal'")
 * const { distinct } = await sdk.run(async () => sdk.doors.parseJson('{}'))
 * ```
 */
export async function bundle<Doors>(contents: string): Promise<Bundle<Doors>> {
  // Within the repository, so that what stays outside of the bundle is found.
  const parent = join(ROOT, 'node_modules/.cache')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'own-functions-'))
  const outfile = join(folder, 'bundle.mjs')
  try {
    await build({
      stdin: { contents, resolveDir: join(ROOT, 'packages/host'), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      conditions: ['portico-source'],
      absWorkingDir: ROOT,
      outfile,
      plugins: [
        {
          name: 'others-outside',
          setup: ({ onResolve }) =>
            onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
              path.startsWith('@portico/') ? undefined : { external: true },
            ),
        },
      ],
    })
    const url = pathToFileURL(outfile).href
    const files = placesIn(await readFile(outfile, 'utf8'))
    return { doors: await import(/* @vite-ignore */ url), run: (work) => countFunctions(work, url, files) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Where each file begins in the bundle: esbuild says so in a comment. */
function placesIn(text: string): readonly (readonly [at: number, file: string])[] {
  return [...text.matchAll(/^\/\/ (packages\/\S+)$/gm)].map(({ index, 1: file = '' }) => [index, file] as const)
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
    }[]
  }[]
}

async function countFunctions(
  work: () => Promise<unknown>,
  url: string,
  files: ReturnType<typeof placesIn>,
): Promise<FunctionsRun> {
  const session = new Session()
  session.connect()
  const post = (method: string, params?: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      session.post(method, params, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)))
    })
  try {
    await post('Profiler.enable')
    await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await post('Profiler.takePreciseCoverage')
    await work()
    // The protocol's own shape of this answer.
    const { result } = (await post('Profiler.takePreciseCoverage')) as Coverage
    const found = result.filter((script) => script.url === url).flatMap(({ functions }) => functions)
    const own = found.filter(({ functionName, ranges }) => functionName !== FIELDS && (ranges[0]?.count ?? 0) > 0)
    return {
      distinct: own.map(({ functionName, ranges }) => {
        const at = ranges[0]?.startOffset ?? 0
        const file = files.findLast(([start]) => start <= at)?.[1] ?? ''
        return `${file} ${functionName || `(anonymous at ${at})`}`
      }),
      calls: own.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0),
    }
  } finally {
    await post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}
