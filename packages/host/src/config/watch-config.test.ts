import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LoadedConfig, loadConfig } from './load-config.ts'
import { createTrustStore } from './trust/trust-store.ts'
import { type ConfigReload, type ConfigWatch, watchConfig } from './watch-config.ts'

let folder: string
let file: string
let watch: ConfigWatch | undefined
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'watch-')))
  file = join(folder, 'sub', 'portico.json')
})
afterEach(async () => {
  watch?.close()
  await rm(folder, { recursive: true, force: true })
})

const text = (servers: object, more: object = {}) => JSON.stringify({ servers, ...more })
const a = { a: { command: 'x' } }

/** Follows the file; `next` is the next news, however it is noticed. */
async function follow(options: { pollMs?: number; onReload?: (config: LoadedConfig) => void } = {}) {
  const config = await loadConfig({ files: [{ path: file, scope: 'user' }] })
  const seen: string[] = []
  const waiting: ((line: string) => void)[] = []
  const tell = ({ change }: ConfigReload) => {
    const line = Object.entries(change)
      .filter(([, servers]) => servers.length > 0)
      .map(([kind, servers]) => `${kind} ${servers.map(({ name }: { name: string }) => name)}`)
      .join('; ')
    const waiter = waiting.shift()
    if (waiter === undefined) seen.push(line)
    else waiter(line)
  }
  watch = watchConfig(config, tell, { settleMs: 10, pollMs: 50, ...options })
  await watch.ready
  const next = () => {
    const line = seen.shift()
    return line === undefined ? new Promise<string>((resolve) => waiting.push(resolve)) : Promise.resolve(line)
  }
  return { next, seen }
}

describe('a configuration that is followed', () => {
  it('tells only what changed, when a file is written in place', async () => {
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text({ ...a, b: { command: 'x' }, c: { command: 'x' } }))
    const { next } = await follow({ pollMs: 60_000 })
    await writeFile(file, text({ ...a, b: { command: 'y' }, d: { command: 'x' } }))
    expect(await next()).toBe('added d; changed b; removed c')
    expect(watch?.config.servers.map(({ name }) => name)).toEqual(['a', 'b', 'd'])
  })

  it('follows editors that rename', async () => {
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text(a))
    const { next } = await follow({ pollMs: 60_000 })
    for (const name of ['b', 'c']) {
      await writeFile(`${file}.tmp`, text({ ...a, [name]: { command: 'x' } }))
      await rename(`${file}.tmp`, file)
      expect(await next()).toContain(`added ${name}`)
    }
  })

  it('notices a file that appears later, in a folder that was not there', async () => {
    const { next } = await follow()
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text(a))
    expect(await next()).toBe('added a')
  })

  it('keeps what a file said that is gone, warns, and takes what it says when it is there again (sec-831)', async () => {
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text(a))
    const readings: LoadedConfig[] = []
    let heard = (): void => {}
    const { next, seen } = await follow({
      onReload: (config) => {
        readings.push(config)
        heard()
      },
    })
    const gone = new Promise<void>((resolve) => {
      heard = () => readings.at(-1)?.problems.length === 1 && resolve()
    })
    await rm(join(folder, 'sub'), { recursive: true })
    await gone
    expect(readings.at(-1)?.problems[0]?.message).toBe('The file is gone; what it said before still counts')
    expect([readings.at(-1)?.servers.map(({ name }) => name), seen]).toEqual([['a'], []])
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text({ b: { command: 'x' } }))
    expect(await next()).toBe('added b; removed a')
    expect(readings.at(-1)?.problems).toEqual([])
  })

  it('follows files that are included from now on', async () => {
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text(a))
    const { next } = await follow()
    const more = join(folder, 'more.json')
    await writeFile(more, text({ m: { command: 'x' } }))
    await writeFile(file, text(a, { include: ['../more.json'] }))
    expect(await next()).toBe('added m')
    await writeFile(more, text({ n: { command: 'x' } }))
    expect(await next()).toBe('added n; removed m')
  })

  it('is silent about what means the same', async () => {
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text(a))
    const { next, seen } = await follow()
    await writeFile(file, `// moved\n\n${text(a)}`)
    await writeFile(file, `// moved\n\n${text({ ...a, b: { command: 'x' } })}`)
    expect(await next()).toBe('added b')
    expect(seen).toEqual([])
  })

  it('reads again when told, after a file was trusted', async () => {
    await mkdir(join(folder, 'sub'))
    await writeFile(file, text(a))
    const trust = createTrustStore({ file: join(folder, 'trust') })
    const config = await loadConfig({ files: [{ path: file, scope: 'project' }], trust })
    const news: ConfigReload[] = []
    watch = watchConfig(config, (item) => news.push(item), { pollMs: 60_000 })
    await watch.refresh()
    expect(news).toEqual([])
    await trust.trust(file, config.untrusted[0]!.content)
    await watch.refresh()
    expect(news[0]?.change.added.map(({ name }) => name)).toEqual(['a'])
  })
})
