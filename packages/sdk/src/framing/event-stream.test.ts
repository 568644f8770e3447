import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventDecoder, encodeComment, encodeEvent } from './event-stream.ts'

const toBytes = (text: string) => new TextEncoder().encode(text)

/** What the callbacks got, in order: events as `event|id|data`, retries as `retry|ms`, faults as `!reason`; the last id. */
function decode(chunks: Iterable<Uint8Array>, maxEventBytes?: number): { seen: string[]; lastEventId: string } {
  const seen: string[] = []
  const decoder = createEventDecoder({
    maxEventBytes,
    onEvent: ({ event, id, data }) => seen.push(`${event}|${id}|${data}`),
    onRetry: (ms) => seen.push(`retry|${ms}`),
    onFault: (reason) => seen.push(`!${reason}`),
  })
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  return { seen, lastEventId: decoder.lastEventId }
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length]!
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

describe('the event decoder (WHATWG 9.2.6)', () => {
  const cases: [string, string, string[], string?][] = [
    ['an event', 'data: a\n\n', ['message||a']],
    ['data without a space', 'data:a\n\ndata:  b\n\n', ['message||a', 'message|| b']],
    ['several data lines', 'data: a\ndata:\ndata: b\n\n', ['message||a\n\nb']],
    ['a field without a colon', 'data\n\n', ['message||']],
    ['colons within the value', 'data: {"a":"b:c"}\n\n', ['message||{"a":"b:c"}']],
    ['names and ids', 'event: endpoint\nid: 7\ndata: /x\n\ndata: y\n\n', ['endpoint|7|/x', 'message|7|y'], '7'],
    [
      'an empty id, which takes the last one back',
      'id: 7\ndata: x\n\nid\ndata: y\n\n',
      ['message|7|x', 'message||y'],
      '',
    ],
    [
      'an id with NUL, which is ignored',
      'id: 7\ndata: x\n\nid: a\0b\ndata: y\n\n',
      ['message|7|x', 'message|7|y'],
      '7',
    ],
    ['the priming event of 2025-11-25', 'id: p1\ndata: \n\n', ['message|p1|'], 'p1'],
    ['an id alone', 'id: p1\n\n', [], 'p1'],
    ['an id whose event never ended', 'id: 1\ndata: a\n\nid: 2\ndata: b\n', ['message|1|a'], '1'],
    ['an event name without data, which ends there', 'event: x\n\ndata: a\n\n', ['message||a']],
    ['comments', ': hello\n\n:\ndata: a\n:x\ndata: b\n\n', ['message||a\nb']],
    ['unknown fields', 'foo: 1\nDATA: 2\ndata : 3\ndata: a\n\n', ['message||a']],
    ['retry', 'retry: 1500\n\nretry: 1.5\nretry: -1\nretry:\nretry: 0\n\n', ['retry|1500', 'retry|0']],
    ['a retry beyond all numbers', `retry: ${'9'.repeat(400)}\n`, [`retry|${Number.MAX_SAFE_INTEGER}`]],
    ['CR', 'data: a\rdata: b\r\rdata: c\r\r', ['message||a\nb', 'message||c']],
    ['CRLF', 'data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n', ['message||a\nb', 'message||c']],
    ['mixed line endings', 'data: a\r\n\rdata: b\n\r\ndata: c\r\r\n', ['message||a', 'message||b', 'message||c']],
    ['the byte order mark at the start only', '\ufeffdata: a\n\n\ufeffdata: b\n\n', ['message||a']],
    ['every UTF-8 length', 'data: é€😀\n\n', ['message||é€😀']],
    ['an event that does not end', 'data: a\n\ndata: b\n', ['message||a']],
  ]
  for (const [name, source, seen, lastEventId = ''] of cases) {
    it(`reads ${name}, whatever the chunks`, () => {
      for (const size of [1, 2, 3, 5, 7, 1000]) {
        expect(decode(cut(toBytes(source), [size]))).toEqual({ seen, lastEventId })
      }
    })
  }

  it('reports an event that is not UTF-8, keeps the id before it, and reads on', () => {
    const bytes = Uint8Array.from([
      ...toBytes('id: 1\ndata: a\n\nid: 2\ndata: '),
      0xff,
      ...toBytes('\ndata: more\n\ndata: b\n\n'),
    ])
    for (const size of [1, 2, 3, 1000]) {
      expect(decode(cut(bytes, [size]))).toEqual({
        seen: ['message|1|a', '!the event is not UTF-8', 'message|1|b'],
        lastEventId: '1',
      })
    }
  })

  it('holds maxEventBytes over all lines of an event (reliability: limits)', () => {
    const limit = 40
    const fault = '!maxEventBytes (40) exceeded'
    const shapes: ((size: number) => string)[] = [
      (size) => `data: ${'a'.repeat(size - 6)}`,
      (size) => `data: é${'a'.repeat(size - 8)}`,
      (size) => `id: 1\ndata: a\ndata: ${'b'.repeat(size - 18)}`,
      (size) => `data: ${'a'.repeat(size - 9)}\nabc`,
    ]
    for (const shape of shapes) {
      for (const size of [1, 3, 8, 1000]) {
        const read = (bytes: number) => decode(cut(toBytes(`${shape(bytes)}\n\ndata: ok\n\n`), [size]), limit).seen
        expect(read(limit - 1)).toEqual([expect.stringMatching('a'), expect.stringMatching('ok')])
        expect(read(limit)).toEqual([expect.stringMatching('a'), expect.stringMatching('ok')])
        expect(read(limit + 1)).toEqual([fault, 'message||ok'])
      }
    }
  })

  it('lets any number of comments and small events pass', () => {
    const source = `${': ping\n'.repeat(100)}data: a\n\n${'data: b\n\n'.repeat(100)}`
    for (const size of [1, 13, 10_000]) expect(decode(cut(toBytes(source), [size]), 16).seen).toHaveLength(101)
  })

  it('gives the same for any bytes in any chunks', () => {
    const piece = fc.constantFrom(
      'data',
      'id',
      'event',
      'retry',
      ':',
      ': ',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      'x',
      '12',
      'é',
      '😀',
      '\ufeff',
      '\0',
    )
    const bytes = fc.array(
      fc.oneof(
        { weight: 20, arbitrary: piece.map((text) => [...toBytes(text)]) },
        { weight: 1, arbitrary: fc.constant([0xff]) },
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(bytes, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (pieces, sizes) => {
        const all = Uint8Array.from(pieces.flat())
        for (const limit of [12, 1000]) expect(decode(cut(all, sizes), limit)).toEqual(decode([all], limit))
      }),
      { numRuns: 3000 },
    )
  })

  it('reads half a megabyte that comes byte by byte, and as many empty lines', () => {
    const bytes = toBytes(`data: ${'é'.repeat(250_000)}\n\n`)
    expect(decode(cut(bytes, [1])).seen[0]?.length).toBe(250_009)
    expect(decode([toBytes(`${'\n'.repeat(500_000)}data: a\n\n`)]).seen).toEqual(['message||a'])
  })
})

describe('the event encoder', () => {
  it('writes fields in a fixed order', () => {
    expect(encodeEvent({ data: '{}' })).toBe('data: {}\n\n')
    expect(encodeEvent({ data: '', id: '1', event: 'message', retry: 1500.7 })).toBe(
      'event: message\nid: 1\nretry: 1500\ndata: \n\n',
    )
    expect(encodeEvent({ data: 'a\nb\r\nc\rd' })).toBe('data: a\ndata: b\ndata: c\ndata: d\n\n')
    expect(encodeComment('ping')).toBe(': ping\n\n')
  })

  it('lets nothing be smuggled in by an id, a name or a comment', () => {
    for (const bad of ['a\nb', 'a\rb', 'a\0b']) {
      expect(() => encodeEvent({ data: '', id: bad })).toThrow('id of an event')
      expect(() => encodeEvent({ data: '', event: bad })).toThrow('name of an event')
    }
    expect(decode([toBytes(encodeComment('x\ndata: forged\r\rdata: forged'))]).seen).toEqual([])
  })

  it('is read back by the decoder, newlines as LF', () => {
    const field = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ''))
    const data = fc.string({
      unit: fc.oneof(fc.constantFrom('\n', '\r', ' ', ':', '\u2028'), fc.string({ unit: 'grapheme', maxLength: 1 })),
    })
    const event = fc.record({ data, id: field, event: field })
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (events, sizes) => {
        const bytes = toBytes(events.map((each) => encodeEvent(each)).join(encodeComment('')))
        expect(decode(cut(bytes, sizes)).seen).toEqual(
          events.map((each) => `${each.event || 'message'}|${each.id}|${each.data.replace(/\r\n?/g, '\n')}`),
        )
      }),
    )
  })
})
