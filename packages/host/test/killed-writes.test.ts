/**
 * A process that is killed at each point at which it changes the disk: what it was told is kept is there, nothing else is broken,
 * and the store goes on. A few points of each store here; all of them with `PORTICO_KILLS=all`, and a table of what was found.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, STORES } from './killed-stores.ts'

const ALL = process.env.PORTICO_KILLS === 'all'
/** Of every store without the long form: in the middle of a write, and around its end. */
const SOME = [2, 4]

let place = ''
let program = ''
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'portico-killed-'))
  program = join(place, 'writer.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('killed-writer.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['portico-source'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    external: ['@cedar-policy/*', 'libsql', '@napi-rs/*'],
    logLevel: 'error',
  })
})
afterAll(() => rm(place, { recursive: true, force: true }))

/** What it said before it ended. */
async function run(store: string, folder: string, point: number) {
  const child = spawn(process.execPath, [program, store, folder, `${point}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [, signal] = await once(child, 'close')
  const kept = [...said.matchAll(/kept (\d)/g)].map(([, one]) => Number(one))
  return { signal: signal as string | null, kept, points: Number(/points (\d+)/.exec(said)?.[1]) }
}

/** As if it were some time ago: a lock that shows no sign of life for ten seconds is nobody's. */
async function ageLocks(folder: string): Promise<void> {
  const locks = (await readdir(folder)).filter((name) => name.endsWith('.lock'))
  await Promise.all(locks.map((name) => utimes(join(folder, name), 1, 1)))
}

test.each(Object.keys(STORES))(
  'reliability disks: %s, killed while it is written, has all that was kept, and goes on',
  { timeout: 600_000 },
  async (name) => {
    const whole = await run(name, await mkdtemp(join(place, 'whole-')), 0)
    expect(whole).toMatchObject({ signal: null, kept: [1, 2, 3] })
    expect(whole.points).toBeGreaterThan(3)
    const points = ALL ? Array.from({ length: whole.points }, (_, at) => at + 1) : SOME
    for (const point of points) {
      const folder = await mkdtemp(join(place, 'killed-'))
      const { signal, kept } = await run(name, folder, point)
      expect(signal).toBe('SIGKILL')
      await ageLocks(folder)
      const again = await openStore(STORES[name], folder)
      const found = await again.read()
      // What it was about to keep may be there, or not; whole in either case.
      expect([kept, [...kept, kept.length + 1]]).toContainEqual(found)
      await again.write(9)
      await again.close()
      const after = await openStore(STORES[name], folder)
      expect(await after.read()).toEqual([...found, 9])
      await after.close()
    }
    if (ALL) console.log(`${name}: killed at ${points.length} points, 0 lost, 0 broken`)
  },
)
