import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { begin, cleanUp, ERAS, inside, outside, prepare } from './fixture.ts'

beforeEach(prepare)
afterEach(cleanUp)

describe('resources', () => {
  const uri = (...names: string[]): string => pathToFileURL(join(inside, ...names)).href

  it('reads files and lists directories', async () => {
    const client = await begin()
    const listed = await client.listResources()
    expect(listed.map((one) => one.uri)).toEqual([`${uri()}/`])
    const { contents } = await client.readResource(uri('hello.txt'))
    expect(contents).toEqual([{ uri: uri('hello.txt'), mimeType: 'text/plain', text: 'one\ntwo\nthree\n' }])
    const listing = await client.readResource(`${uri()}/`)
    expect(JSON.stringify(listing)).toContain('hello.txt')
    await mkdir(join(inside, 'with space#'))
    await writeFile(join(inside, 'with space#', 'ü?.txt'), 'odd')
    expect(JSON.stringify(await client.readResource(uri('with space#', 'ü?.txt')))).toContain('odd')
  })

  it.each(ERAS)('sec-131: no URI leads out at %s, and all get one answer', async (version) => {
    const client = await begin({}, { version })
    const out = pathToFileURL(join(outside, 'secret.txt')).href
    for (const one of [
      out,
      `${uri()}/../outside/secret.txt`,
      `${uri()}/%2e%2e/outside/secret.txt`,
      `${uri()}/..%2Foutside%2Fsecret.txt`,
      `${uri()}/%252e%252e/outside/secret.txt`,
      `file://localhost/etc/passwd`,
      `file:////server/share`,
      `${uri()}/hello.txt%00`,
      uri('gone'),
    ]) {
      await expect(client.readResource(one), one).rejects.toThrow()
    }
  })

  it('completes paths', async () => {
    await writeFile(join(inside, '.env'), '')
    const client = await begin()
    const complete = async (value: string) =>
      (
        await client.complete({
          ref: { type: 'ref/resource', uri: 'file:///{+path}' },
          argument: { name: 'path', value },
        })
      ).completion.values
    expect(await complete(inside.slice(1, -2))).toEqual([`${inside.slice(1)}/`])
    expect(await complete(`${inside}/`)).toEqual([join(inside, 'hello.txt'), `${join(inside, 'sub')}/`])
    expect(await complete(`${inside.slice(1)}/he`)).toEqual([join(inside, 'hello.txt').slice(1)])
    expect(await complete('/etc/pass')).toEqual([])
    expect(await complete(`${inside}/../`)).toEqual([])
  })

  it.each(ERAS)('tells subscribers of changes at %s, and watches nothing before', async (version) => {
    const client = await begin({}, { version })
    const changes: string[] = []
    const waiting = new Set<() => void>()
    const subscription = await client.subscribe(
      { resourceSubscriptions: [uri('hello.txt'), `${uri('sub')}/`] },
      (change) => {
        if (change.kind === 'resource') changes.push(change.uri)
        for (const wake of waiting) wake()
      },
    )
    /** Waits until the resource was reported once more. */
    const heard = async (wanted: string): Promise<void> => {
      while (!changes.includes(wanted)) await new Promise<void>((resolve) => waiting.add(resolve))
      changes.length = 0
    }
    await writeFile(join(inside, 'hello.txt'), 'changed\n')
    await heard(uri('hello.txt'))
    await writeFile(join(inside, 'replacement'), 'replaced\n')
    await rename(join(inside, 'replacement'), join(inside, 'hello.txt'))
    await heard(uri('hello.txt'))
    await writeFile(join(inside, 'sub', 'new.txt'), '')
    await heard(`${uri('sub')}/`)
    await subscription.close()
  })

  it.each(ERAS)('refuses to watch more than "maxWatched" at %s', async (version) => {
    const client = await begin({ maxWatched: 2 }, { version })
    await expect(client.subscribe({ resourceSubscriptions: [`${uri()}/`] })).rejects.toThrow('maxWatched')
  })

  it('offers a prompt that brings the file along', async () => {
    const { messages } = await (await begin()).getPrompt('explain_file', { path: 'hello.txt' })
    expect(JSON.stringify(messages)).toContain('three')
  })
})

describe('files in the list of resources (founding 8)', () => {
  const listed = async (client: Awaited<ReturnType<typeof begin>>) =>
    (await client.listResources()).map(({ uri }) => decodeURIComponent(uri.slice(pathToFileURL(inside).href.length)))

  it('are named by option, without what is denied, ignored, linked or beyond the bound', async () => {
    await writeFile(join(inside, '.env'), 'secret')
    await writeFile(join(inside, '.gitignore'), 'built\n')
    await mkdir(join(inside, 'built'))
    await writeFile(join(inside, 'built', 'out.js'), '')
    await symlink(join(outside, 'secret.txt'), join(inside, 'link.txt'))
    expect(await listed(await begin())).toEqual(['/'])
    const all = ['/', '/.gitignore', '/hello.txt', '/sub/deep/x.ts', '/sub/note.md']
    expect(await listed(await begin({ listFiles: true }))).toEqual(all)
    expect(await listed(await begin({ listFiles: true, maxListed: 2 }))).toEqual(all.slice(0, 3))
    const client = await begin({ listFiles: true })
    const [, , hello] = await client.listResources()
    expect(JSON.stringify(await client.readResource(hello?.uri ?? ''))).toContain('two')
  })

  it('come in pages, each once', async () => {
    for (let at = 0; at < 45; at++) await writeFile(join(inside, 'sub', `f${at}`), '')
    const client = await begin({ listFiles: true, maxResults: 20 })
    const first = (await client.request('resources/list', {})) as { resources: unknown[]; nextCursor?: string }
    expect(first.resources.length).toBe(20)
    expect(first.nextCursor).toBeDefined()
    const all = await listed(client)
    expect([all.length, new Set(all).size]).toEqual([49, 49])
  })

  it('are not named where the client’s roots count, which cannot be asked for here (sec-134)', async () => {
    const answers = { roots: [{ uri: pathToFileURL(join(inside, 'sub')).href }] }
    expect(await listed(await begin({ listFiles: true }, { answers }))).toEqual(['/'])
    expect((await listed(await begin({ listFiles: true, followRoots: false }, { answers }))).length).toBe(4)
  })

  it.each(ERAS)('tell of a file that comes or goes, in new folders too, at %s', async (version) => {
    const client = await begin({ listFiles: true }, { version })
    let wake = (): void => {}
    await client.subscribe({ resourcesListChanged: true }, (change) => change.kind === 'resources' && wake())
    await client.listResources()
    const becomes = async (name: string, there: boolean): Promise<void> => {
      while ((await listed(client)).includes(name) !== there) {
        const told = new Promise<void>((resolve) => {
          wake = resolve
        })
        // It may have come between the list and the wait.
        if ((await listed(client)).includes(name) === there) return
        await told
      }
    }
    await writeFile(join(inside, 'new.txt'), '')
    await becomes('/new.txt', true)
    await mkdir(join(inside, 'made'))
    await writeFile(join(inside, 'made', 'in.txt'), '')
    await becomes('/made/in.txt', true)
    await rename(join(inside, 'made', 'in.txt'), join(outside, 'in.txt'))
    await becomes('/made/in.txt', false)
  })
})
