import { describe, expect, it, vi } from 'vitest'
import { createPrincipal, type Principal } from '../../auth/principal.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { LATEST, LATEST_LEGACY } from '../../protocol/revisions.ts'
import type { ServerCall } from '../call/call.ts'
import type { Access, CacheHint } from '../items/item-options.ts'
import { Registry } from '../items/registry.ts'
import { cacheHints, ItemList } from './list.ts'

interface Thing {
  readonly access: Access
  readonly name: string
}

function makeList(names: readonly string[], pageSize?: number, cache: CacheHint = {}) {
  const registry = new Registry<Thing>('thing')
  for (const name of names) registry.add(name, { name, access: {} })
  const write = vi.fn((shown: JsonObject) => shown)
  const list = new ItemList<Thing, JsonObject>({
    registry,
    member: 'tools',
    show: ({ name }) => ({ name }),
    write,
    pageSize,
    cache,
  })
  return { registry, write, list }
}

/** The list looks at nothing else of a call. */
function asCall(params: JsonObject = {}, revision = LATEST_LEGACY, principal?: Principal): ServerCall {
  return { params, conversation: { revision, principal } } as unknown as ServerCall
}

function read(text: string): { tools: { name: string }[]; nextCursor?: string; ttlMs?: number; cacheScope?: string } {
  return JSON.parse(`${text}}`)
}

const namesOf = (text: string) => read(text).tools.map(({ name }) => name)

describe('ItemList', () => {
  it('writes each item once per revision, and again after a change', () => {
    const { registry, list, write } = makeList(['a', 'b'])
    list.text(asCall())
    list.text(asCall())
    expect(write).toHaveBeenCalledTimes(2)
    list.text(asCall({}, LATEST))
    expect(write).toHaveBeenCalledTimes(4)
    registry.add('c', { name: 'c', access: {} })
    expect(namesOf(list.text(asCall()))).toEqual(['a', 'b', 'c'])
  })

  it.each([1, 2, 3, 4, 5])('pages of %i show every item once', (pageSize) => {
    const names = ['a', 'b', 'c', 'd']
    const { list } = makeList(names, pageSize)
    const seen: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = read(list.text(asCall(cursor === undefined ? {} : { cursor })))
      seen.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      pages++
    } while (cursor !== undefined)
    expect(seen).toEqual(names)
    expect(pages).toBe(Math.ceil(names.length / pageSize))
  })

  it('goes on after the last item shown, whatever was removed or added meanwhile', () => {
    const { registry, list } = makeList(['a', 'b', 'c', 'd'], 2)
    const cursor = read(list.text(asCall())).nextCursor
    registry.remove('b')
    expect(namesOf(list.text(asCall({ cursor })))).toEqual(['c', 'd'])
    registry.remove('a')
    expect(namesOf(list.text(asCall({ cursor })))).toEqual(['c', 'd'])
    registry.add('b', { name: 'b', access: {} })
    registry.remove('c')
    registry.remove('d')
    registry.remove('b')
    expect(namesOf(list.text(asCall({ cursor })))).toEqual([])
  })

  it.each([null, ''])('takes the cursor %j for none (sdk D25)', (cursor) => {
    const { list } = makeList(['a'])
    expect(list.text(asCall({ cursor }))).toBe(list.text(asCall()))
  })

  it('keeps names of any alphabet in its cursors', () => {
    const { list } = makeList(['é✓/{x}', 'b'], 1)
    expect(namesOf(list.text(asCall({ cursor: read(list.text(asCall())).nextCursor })))).toEqual(['b'])
  })

  const forged = (value: unknown): string => btoa(JSON.stringify(value))
  it.each([
    5,
    '%',
    'x',
    forged({}),
    forged(['tools', 1]),
    forged(['prompts', 1, 'a']),
    forged(['tools', 1.5, 'a']),
    forged(['tools', 1, 5]),
  ])('refuses the cursor %j', (cursor) => {
    const { list } = makeList(['a'])
    expect(() => list.text(asCall({ cursor }))).toThrow(
      expect.objectContaining({ rpcCode: -32602, data: expect.objectContaining({ parameter: 'cursor' }) }),
    )
  })

  it('shows each principal what it may see, and says that it is private', () => {
    const { registry, list } = makeList(['a'], undefined, { ttlMs: 10, scope: 'public' })
    expect(read(list.text(asCall({}, LATEST)))).toMatchObject({ ttlMs: 10, cacheScope: 'public' })
    registry.add('b', { name: 'b', access: { scopes: ['admin'] } })
    const admin = asCall({}, LATEST, createPrincipal('x', ['admin']))
    expect(namesOf(list.text(admin))).toEqual(['a', 'b'])
    expect(namesOf(list.text(asCall({}, LATEST)))).toEqual(['a'])
    expect(read(list.text(admin)).cacheScope).toBe('private')
  })

  it('takes a result that middleware has made for private unless the author says otherwise', () => {
    const call = asCall({}, LATEST)
    expect(makeList(['a']).list.write({ tools: [] } as object, call)).toMatchObject({ cacheScope: 'private' })
    expect(makeList(['a'], undefined, { scope: 'public' }).list.write({ tools: [] } as object, call)).toMatchObject({
      cacheScope: 'public',
    })
  })
})

describe('cacheHints', () => {
  it.each([
    [{}, false, { ttlMs: 0, cacheScope: 'public' }],
    [{ ttlMs: -5 }, false, { ttlMs: 0, cacheScope: 'public' }],
    [{ ttlMs: 1.9, scope: 'private' as const }, false, { ttlMs: 1, cacheScope: 'private' }],
    [{ ttlMs: 5, scope: 'public' as const }, true, { ttlMs: 5, cacheScope: 'private' }],
  ])('%j, restricted %j', (hint, restricted, hints) => {
    expect(cacheHints(hint, restricted)).toEqual(hints)
  })
})
