import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'
import { ByteIdFinder, findId } from './message-id.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the id of a message that is not parsed (servers 7)', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":8}}', { id: 7, isRequest: true }],
    ['{"method":"m","params":{"id":8,"x":["id",{"id":9}]}, "id" : "last" }', { id: 'last', isRequest: true }],
    ['{"id":1,"result":{"method":"m"}}', { id: 1, isRequest: false }],
    ['{"id":"a\\"b,}","method":"m"}', { id: 'a"b,}', isRequest: true }],
    ['{"id":1,"id":2,"method":"m"}', { id: 2, isRequest: true }],
    ['{"id":null,"method":"m"}', { id: null, isRequest: true }],
    ['{"method":"m"}', undefined],
    ['[{"id":1,"method":"m"}]', undefined],
    ['"id":1', undefined],
    ['', undefined],
    ['{"id":{"id":1},"method":"m"}', undefined],
  ])('in %s', (text, found) => {
    expect(findId(text)).toEqual(found)
    const finder = new ByteIdFinder()
    for (const byte of bytes(text)) finder.push(Uint8Array.of(byte))
    expect(finder.found()).toEqual(found)
  })

  it('is what JSON.parse reads, wherever it stands and however the bytes are cut', () => {
    const id = fc.oneof(fc.maxSafeInteger(), fc.string({ unit: 'grapheme', maxLength: 40 }))
    const members = fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 6 })
    fc.assert(
      fc.property(id, members, fc.nat(6), fc.integer({ min: 1, max: 9 }), (own, others, place, size) => {
        const entries = others.map(
          ([name, value]) => `${JSON.stringify(name === 'id' ? 'x' : name)}:${JSON.stringify(value)}`,
        )
        entries.splice(Math.min(place, entries.length), 0, `"id":${JSON.stringify(own)}`)
        const text = `{${entries.join(' , ')}}`
        expect(findId(text)?.id).toBe(own)
        const finder = new ByteIdFinder()
        const all = bytes(text)
        for (let at = 0; at < all.length; at += size) finder.push(all.subarray(at, at + size))
        expect(finder.found()?.id).toBe(own)
      }),
    )
  })

  it('comes with the bound that was passed', () => {
    const text = `{"params":{"x":"${'x'.repeat(11)}"},"method":"m","id":"own"}`
    expect(parseJson(text, { maxStringLength: 10 })).toEqual({
      ok: false,
      kind: 'limit',
      reason: 'maxStringLength (10) exceeded',
      found: { id: 'own', isRequest: true },
    })
  })
})
