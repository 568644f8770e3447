import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { compareServers } from './config-change.ts'
import { formatProblem } from './formats/config-text.ts'
import { type LoadedConfig, loadConfig } from './load-config.ts'
import { createTrustStore, type TrustStore } from './trust/trust-store.ts'

let folder: string
let trust: TrustStore
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'load-')))
  trust = createTrustStore({ file: join(folder, 'state', 'trust.json'), now: () => 5 })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const put = async (name: string, content: unknown) => {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const user = (path: string) => ({ path, scope: 'user' }) as const
const project = (path: string) => ({ path, scope: 'project' }) as const
const names = ({ servers }: Pick<LoadedConfig, 'servers'>) => servers.map(({ name }) => name)

describe('several files', () => {
  it('later ones win by name, and a warning tells', async () => {
    const first = await put('.mcp.json', { mcpServers: { a: { command: 'one' }, b: { command: 'b' } } })
    const second = await put('portico.json', { servers: { a: { command: 'two' } } })
    const config = await loadConfig({ files: [user(first), user(second), user(join(folder, 'absent.json'))] })
    expect(names(config)).toEqual(['a', 'b'])
    expect(config.servers[0]?.target).toMatchObject({ command: 'two' })
    expect(config.problems.map(formatProblem)).toEqual([
      `${first}:1: mcpServers.a: warning: "a" is also in ${second}, which counts. Rename one of them.`,
    ])
  })

  it('a broken one does not keep the others from working', async () => {
    const bad = await put('bad.mcp.json', '{"mcpServers": ')
    const good = await put('portico.json', { servers: { a: { command: 'x' } } })
    const config = await loadConfig({ files: [user(bad), user(folder), user(good)] })
    expect(names(config)).toEqual(['a'])
    expect(config.problems.map(({ place }) => place.file)).toEqual([bad, folder])
  })

  it('includes files of any form, once, and before the file that includes them', async () => {
    await put('more/x.json', { mcpServers: { a: { command: 'included' }, c: { command: 'c' } } })
    await put('loop.json', { include: ['./portico.json'], servers: { l: { command: 'l' } } })
    const include = ['more/x.json', './loop.json', '~/home.json', 'absent.json']
    await put('home.json', { servers: { h: { url: 'https://h.example' } } })
    const path = await put('portico.json', { include, servers: { a: { command: 'own' } }, policy: { p: 1 } })
    const config = await loadConfig({ files: [user(path)], home: folder })
    expect(names(config).sort()).toEqual(['a', 'c', 'h', 'l'])
    expect(config.servers.find(({ name }) => name === 'a')?.target).toMatchObject({ command: 'own' })
    expect(config.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      'The included file is not there',
    ])
    expect(config.extras).toEqual([{ file: path, scope: 'user', policy: { p: 1 } }])
    expect(config.files).toHaveLength(5)
  })

  it('ends a chain of includes', async () => {
    for (let at = 0; at < 10; at++)
      await put(`${at}.json`, { include: [`${at + 1}.json`], servers: { [`s${at}`]: { command: 'x' } } })
    const config = await loadConfig({ files: [user(join(folder, '0.json'))] })
    expect(names(config)).toHaveLength(5)
    expect(config.problems.map(({ message }) => message)).toEqual(['Too many files include each other'])
  })

  it('reads everything again', async () => {
    const path = await put('portico.json', {
      servers: { a: { command: 'x' }, b: { command: 'x' }, c: { command: 'x' } },
    })
    const before = await loadConfig({ files: [user(path)] })
    await put('portico.json', {
      servers: { a: { command: 'x' }, b: { command: 'y' }, c: { command: 'x', lazy: true }, d: { command: 'x' } },
    })
    const change = compareServers(before.servers, (await before.reload()).servers)
    expect(Object.entries(change).map(([kind, servers]) => `${kind} ${names({ servers })}`)).toEqual([
      'added d',
      'changed b',
      'adjusted c',
      'removed ',
    ])
  })
})

describe('a file in the middle of a change', () => {
  it.each(['', '{"servers": {"a": '])('%j: what it said before counts, with a warning', async (text) => {
    const path = await put('portico.json', { servers: { a: { command: 'x' } } })
    const before = await loadConfig({ files: [user(path)] })
    await put('portico.json', text)
    const between = await before.reload()
    expect(names(between)).toEqual(['a'])
    expect(between.problems.at(-1)?.message).toMatch(/what it said before still counts/)
    expect(names(await between.reload())).toEqual(['a'])
    await put('portico.json', '{}')
    expect(await between.reload()).toMatchObject({ servers: [], problems: [] })
    await put('portico.json', text)
    expect(names(await loadConfig({ files: [user(path)] }))).toEqual([])
  })

  it('is not trusted any longer than it was', async () => {
    const path = await put('engine/portico.json', { servers: { a: { command: 'x' } } })
    const before = await loadConfig({ files: [project(path)], trust })
    await trust.trust(path, before.untrusted[0]!.content)
    const trusted = await before.reload()
    expect(names(trusted)).toEqual(['a'])
    await put('engine/portico.json', '')
    expect(names(await trusted.reload())).toEqual(['a'])
    await trust.revoke(path)
    expect(names(await trusted.reload())).toEqual([])
  })
})

describe('a project’s own file', () => {
  const content = { mcpServers: { evil: { command: 'rm', args: ['-rf', '/'] } } }

  it('gives names only until it is trusted, and again when it changes', async () => {
    const path = await put('engine/.mcp.json', content)
    const load = () => loadConfig({ files: [project(path)], trust })
    const before = await load()
    expect(before.servers).toEqual([])
    expect(before.untrusted).toMatchObject([{ file: path, servers: ['evil'] }])
    expect(before.problems.map(({ message }) => message)).toEqual([expect.stringMatching(/nobody has trusted it/)])
    await trust.trust(path, before.untrusted[0]!.content)
    expect(names(await load())).toEqual(['evil'])
    expect((await load()).untrusted).toEqual([])
    await put('engine/.mcp.json', { mcpServers: { evil: { command: 'rm', args: ['-rf', '/', '.'] } } })
    expect((await load()).servers).toEqual([])
    await put('engine/.mcp.json', content)
    expect(await trust.revoke(path)).toBe(true)
    expect((await load()).servers).toEqual([])
  })

  it('is not trusted for another file of the same content, nor without a store', async () => {
    const path = await put('engine/.mcp.json', content)
    const copy = await put('other/.mcp.json', content)
    await trust.trust(path, JSON.stringify(content))
    expect((await loadConfig({ files: [project(copy)], trust })).servers).toEqual([])
    expect((await loadConfig({ files: [project(path)] })).servers).toEqual([])
    const link = join(folder, 'link.mcp.json')
    await symlink(path, link)
    expect(names(await loadConfig({ files: [project(link)], trust }))).toEqual(['evil'])
  })

  it('vouches for nothing that it includes, and its rules do not count before', async () => {
    await put('engine/hidden.json', content)
    const path = await put('engine/portico.json', { include: ['hidden.json'], policy: { rules: ['allow all'] } })
    const load = () => loadConfig({ files: [project(path)], trust })
    const before = await load()
    expect(before.extras).toEqual([])
    await trust.trust(path, before.untrusted[0]!.content)
    const after = await load()
    expect(after.servers).toEqual([])
    expect(after.extras).toMatchObject([{ scope: 'project' }])
    expect(after.untrusted).toMatchObject([{ servers: ['evil'] }])
  })

  it('cannot take the user’s own file away by including it', async () => {
    const mine = await put('mine.json', { servers: { own: { command: 'x' } } })
    const path = await put('engine/portico.json', { include: ['../mine.json'] })
    const before = await loadConfig({ files: [project(path), user(mine)], trust })
    await trust.trust(path, before.untrusted[0]!.content)
    expect(names(await before.reload())).toEqual(['own'])
  })

  it('without servers asks nobody', async () => {
    const path = await put('engine/.zed/settings.json', { theme: 'dark' })
    const config = await loadConfig({ files: [project(path)], trust })
    expect(config).toMatchObject({ untrusted: [], problems: [] })
  })

  it('is listed, and a damaged list trusts nobody', async () => {
    await trust.trust('/p/a', 'x')
    expect(await trust.list()).toEqual([{ path: '/p/a', digest: expect.stringMatching(/^[\da-f]{64}$/), since: 5 }])
    await put('state/trust.json', '{"version": 1, "files": [{"path": "/p/a"}]}')
    const warnings: string[] = []
    const later = createTrustStore({
      file: join(folder, 'state', 'trust.json'),
      onWarning: (text) => warnings.push(text),
    })
    expect(await later.isTrusted('/p/a', 'x')).toBe(false)
    expect(warnings).toHaveLength(1)
  })
})
