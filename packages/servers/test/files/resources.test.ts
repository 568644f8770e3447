import { mkdir, rename, writeFile } from 'node:fs/promises'
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
