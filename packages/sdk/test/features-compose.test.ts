/** A feature that nobody foresaw, added from outside: no file of the server knows its name (house 2). */

import { describe, expect, test } from 'vitest'
import type { PolicyItem } from '../src/auth/access-policy.ts'
import { connect } from '../src/connect/connect.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { META_CLIENT_CAPABILITIES, META_VERSION } from '../src/protocol/meta.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../src/protocol/revision.ts'
import { defineMethod, invalidParam, stringParam } from '../src/server/call/method.ts'
import { fingerprint, verifyFingerprint } from '../src/server/check/fingerprint.ts'
import { lintServer } from '../src/server/check/lint.ts'
import { defineCollection, defineFeature, FEATURE, type Feature, type Item } from '../src/server/feature.ts'
import { ItemList } from '../src/server/features/list.ts'
import { isVisible } from '../src/server/items/access.ts'
import { Registry } from '../src/server/items/registry.ts'
import { createServer, endpointOf, type Server } from '../src/server/server.ts'

interface NoteEntry extends Item {
  readonly note: { readonly name: string; readonly description?: string }
  readonly text: () => string
}

interface NoteFeature extends Feature {
  readonly notes: Registry<NoteEntry>
}

const NOTES = defineFeature('notes', (server): NoteFeature => {
  const notes = new Registry<NoteEntry>('note')
  const list = new ItemList<NoteEntry, NoteEntry['note']>({
    registry: notes,
    member: 'notes',
    show: ({ note }) => note,
    write: (note): JsonObject => ({ ...note }),
    pageSize: server.pageSize,
    cache: server.listCache,
  })
  const served = () => notes.declared
  return {
    notes,
    collections: [
      defineCollection<NoteEntry>({
        registry: notes,
        // A feature that is here to stay has its row in the types of rules and capabilities.
        kind: 'note' as PolicyItem['kind'],
        list: 'notes',
        member: 'notes',
        method: 'notes/read',
        keyedBy: 'name',
        show: ({ note }) => note,
        rename: (entry, name) => ({ ...entry, note: { ...entry.note, name } }),
      }),
    ],
    capability: () => (notes.declared ? ({ notes: { listChanged: true } } as object) : {}),
    methods: () => [
      defineMethod(list.method('notes/list', served)),
      defineMethod<string>({
        method: 'notes/read',
        served,
        run: (call) => {
          const entry = notes.get(stringParam(call.params, 'name'))
          if (entry === undefined || !isVisible(entry.access, call.conversation.principal))
            throw invalidParam('name', 'names no note here')
          return entry.inside === undefined ? entry.text() : entry.inside(call, entry.text)
        },
        write: (text) => ({ text }),
      }),
    ],
  }
})

function noted(name: string, notes: { readonly [name: string]: string }, access: Item['access'] = {}): Server {
  const server = createServer({ name, version: '1' })
  for (const [key, text] of Object.entries(notes)) add(server, key, text, access)
  return server
}

function add(server: Server, name: string, text: string, access: Item['access'] = {}): void {
  server[FEATURE](NOTES).notes.replace(name, { note: { name }, access, text: () => text })
}

async function namesOf(server: Server, version: ProtocolVersion = '2025-11-25'): Promise<string[]> {
  await using client = await connect(server, { versions: version })
  const { notes } = await client.request('notes/list')
  return (notes as { name: string }[]).map(({ name }) => name)
}

async function textOf(server: Server, name: string): Promise<unknown> {
  await using client = await connect(server)
  return (await client.request('notes/read', { name })).text
}

describe('a feature from outside (house 2)', () => {
  test.each(PROTOCOL_VERSIONS)('is declared, listed and served: %s', async (version) => {
    await using client = await connect(noted('a', { milk: 'buy milk' }), { versions: version })
    expect(client.server.capabilities).toMatchObject({ notes: { listChanged: true } })
    expect(await client.request('notes/list')).toMatchObject({ notes: [{ name: 'milk' }] })
    expect(await client.request('notes/read', { name: 'milk' })).toMatchObject({ text: 'buy milk' })
    await expect(client.request('notes/read', { name: 'tea' })).rejects.toThrow('names no note here')
  })

  test('is not there for a server without it, and not declared while nobody used it', async () => {
    const server = createServer({ name: 'bare', version: '1' })
    await using before = await connect(server)
    await expect(before.request('notes/list')).rejects.toThrow('notes/list')
    server[FEATURE](NOTES)
    await using client = await connect(server)
    expect(client.server.capabilities).not.toHaveProperty('notes')
  })

  test('tells sessions of its list when it changes', async () => {
    const server = noted('a', { milk: 'buy milk' })
    await using client = await connect(server, { versions: '2025-11-25' })
    const told = new Promise((resolve) => client.on('notification', resolve))
    add(server, 'tea', 'buy tea')
    expect(await told).toMatchObject({ method: 'notifications/notes/list_changed' })
  })

  test('tells listeners that asked for its list', async () => {
    const server = noted('a', { milk: 'buy milk' })
    const sent: { method: string; params: JsonObject }[] = []
    let acknowledged: () => void = () => {}
    const stands = new Promise<void>((resolve) => {
      acknowledged = resolve
    })
    const told = new Promise<void>((resolve) => {
      const send = (text: string): void => {
        if (sent.push(JSON.parse(text)) === 2) resolve()
        else acknowledged()
      }
      const _meta = { [META_VERSION]: '2026-07-28', [META_CLIENT_CAPABILITIES]: {} }
      const params = { _meta, notifications: { notesListChanged: true, toolsListChanged: true } }
      endpointOf(server).serveModern({
        message: { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params },
        outlet: { send, end: send, close: () => {} },
        scope: undefined,
        principal: undefined,
        head: undefined,
      })
    })
    await stands
    add(server, 'tea', 'buy tea')
    await told
    // A list that the server does not have is not honoured.
    expect(sent[0]?.params.notifications).toEqual({ notesListChanged: true })
    expect(sent[1]?.method).toBe('notifications/notes/list_changed')
  })

  test('is mounted under a prefix, follows its original, and keeps its middleware', async () => {
    const inner = noted('inner', { milk: 'buy milk' })
    const outer = createServer({ name: 'outer', version: '1' })
    const seen: unknown[] = []
    // Middleware is typed for the methods of the protocol.
    inner.use('notes/read' as 'tools/call', ({ params }, next) => {
      seen.push(params.name)
      return next()
    })
    const mounted = outer.mount('shop', inner)
    expect(await namesOf(outer)).toEqual(['shop_milk'])
    expect(await textOf(outer, 'shop_milk')).toBe('buy milk')
    expect(seen).toEqual(['milk'])
    add(inner, 'tea', 'buy tea')
    expect(await namesOf(outer)).toEqual(['shop_milk', 'shop_tea'])
    mounted.unmount()
    expect(await namesOf(outer)).toEqual([])
  })

  test('is mounted also where it came after the mounting', async () => {
    const inner = createServer({ name: 'inner', version: '1' })
    const outer = createServer({ name: 'outer', version: '1' })
    outer.mount('shop', inner)
    add(inner, 'milk', 'buy milk')
    expect(await namesOf(outer)).toEqual(['shop_milk'])
  })

  test.each(['with', 'without'])('is adopted by a server %s it, as a whole and from then on', async (how) => {
    const own = how === 'with' ? noted('own', { old: 'gone soon' }) : createServer({ name: 'own', version: '1' })
    const other = noted('other', { milk: 'buy milk' })
    own.adopt(other)
    expect(await namesOf(own)).toEqual(['milk'])
    add(other, 'tea', 'buy tea')
    expect(await namesOf(own)).toEqual(['milk', 'tea'])
    own.adopt(createServer({ name: 'empty', version: '1' }))
    expect(await namesOf(own)).toEqual([])
  })

  test('is under the server’s rule, in the catalogue and read by the linter', async () => {
    const asked: PolicyItem[] = []
    const server = createServer({
      name: 'ruled',
      version: '1',
      visible: (_principal, item) => asked.push(item) > 0 && item.name !== 'secret',
    })
    add(server, 'milk', 'buy milk')
    add(server, 'secret', 'hidden')
    expect(await namesOf(server)).toEqual(['milk'])
    expect(asked.map(({ kind }) => kind)).toContain('note')
    expect(server.describe('note' as PolicyItem['kind'], 'milk')).toMatchObject({ name: 'milk' })
    expect(server.catalogue()).toMatchObject({ notes: [{ name: 'milk' }, { name: 'secret' }] })
    expect(lintServer(server).map(({ rule, where }) => [rule, where])).toContainEqual([
      'note-undescribed',
      'notes.milk',
    ])
  })

  test('has its items in the fingerprint, each change of them by name', async () => {
    const server = noted('a', { milk: 'buy milk' })
    const made = await fingerprint(server)
    expect(made.lists.notes).toEqual({ milk: {} })
    server[FEATURE](NOTES).notes.replace('milk', {
      note: { name: 'milk', description: 'What to buy' },
      access: {},
      text: () => '',
    })
    add(server, 'tea', 'buy tea')
    expect((await verifyFingerprint(server, made)).map(({ message }) => message)).toEqual([
      'The note "milk" changed: description was added',
      'The note "tea" is new',
    ])
    const other = createServer({ name: 'a', version: '1' })
    expect(await verifyFingerprint(other, made)).toMatchObject([{ kind: 'removed', item: 'note', name: 'milk' }])
  })
})
