import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteBuffer } from './byte-buffer.ts'
import { createLineDecoder, encodeLine } from './lines.ts'

const toBytes = (text: string) => new TextEncoder().encode(text)

/** Lines as text, faults as `!kind`, in order of arrival. */
function decode(chunks: Iterable<Uint8Array>, maxBytes?: number): string[] {
  const seen: string[] = []
  const decoder = createLineDecoder({
    maxBytes,
    onLine: (text) => seen.push(text),
    onFault: (kind, reason) => {
      expect(reason).toMatch(kind === 'utf8' ? 'not UTF-8' : `maxLineBytes (${maxBytes}) exceeded`)
      seen.push(`!${kind}`)
    },
  })
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  return seen
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  let at = 0
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes.length === 0 ? bytes.length : sizes[index % sizes.length]!
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

describe('the line decoder', () => {
  const cases: [string, string, string[]][] = [
    ['LF', 'a\nb\n', ['a', 'b']],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['empty lines', '\n\r\n\na\n\n', ['a']],
    ['an unfinished last line', 'a\nb', ['a', 'b']],
    ['an unfinished last line with CR', 'a\nb\r', ['a', 'b']],
    ['CR within a line', 'a\rb\r\r\n', ['a\rb\r']],
    ['the byte order mark at the start', '\ufeffa\n\ufeffb\n', ['a', '\ufeffb']],
    ['a lone byte order mark', '\ufeff\na\n', ['a']],
    ['a byte order mark after an empty line', '\n\ufeffa\n', ['\ufeffa']],
    ['line separators of Unicode', 'a\u2028b\u2029c\u0085d\n', ['a\u2028b\u2029c\u0085d']],
    ['every UTF-8 length', 'é€😀\n', ['é€😀']],
    ['nothing', '', []],
  ]
  for (const [name, source, lines] of cases) {
    it(`reads ${name}, whatever the chunks (sec-38)`, () => {
      for (const size of [1, 2, 3, 5, 1000]) expect(decode(cut(toBytes(source), [size]))).toEqual(lines)
    })
  }

  it('reports a line that is not UTF-8 and reads on (sec-38)', () => {
    const bytes = Uint8Array.from([
      ...toBytes('a\n{"x":"'),
      0xff,
      0xfe,
      ...toBytes('"}\nb\n'),
      0xc3,
      0x0a,
      ...toBytes('c\n'),
      0xe2,
    ])
    for (const size of [1, 2, 3, 1000]) {
      expect(decode(cut(bytes, [size]))).toEqual(['a', '!utf8', 'b', '!utf8', 'c', '!utf8'])
    }
  })

  it('shows the start of a bad line', () => {
    const excerpts: string[] = []
    const decoder = createLineDecoder({
      maxBytes: 90,
      onLine: () => {},
      onFault: (_, __, excerpt) => excerpts.push(excerpt),
    })
    decoder.push(Uint8Array.from([0x61, 0xff, 0x0a]))
    decoder.push(toBytes('x'.repeat(10)))
    decoder.push(toBytes('y'.repeat(100_000)))
    decoder.push(toBytes('\n'))
    expect(excerpts).toEqual(['a\ufffd', 'x'.repeat(10) + 'y'.repeat(70)])
  })

  for (const ending of ['\n', '\r\n', '']) {
    it(`holds maxBytes at the bound, with ${JSON.stringify(ending)} (reliability: limits)`, () => {
      for (const unit of ['a', 'é']) {
        const limit = 10
        const width = toBytes(unit).length
        for (const size of [1, 3, 4, 1000]) {
          const read = (bytes: number) => {
            const filler = 'x'.repeat(bytes % width) + unit.repeat(bytes / width)
            return decode(cut(toBytes(`ok\n${filler}${ending}`), [size]), limit)
          }
          expect(read(limit - 1)).toEqual(['ok', expect.any(String)])
          expect(read(limit)).toEqual(['ok', expect.stringMatching(unit)])
          expect(read(limit + 1)).toEqual(['ok', '!limit'])
        }
      }
    })
  }

  it('faults once per long line and reads the next', () => {
    for (const size of [1, 7, 64, 10_000]) {
      expect(decode(cut(toBytes(`${'a'.repeat(5000)}\nb\n${'c'.repeat(5000)}\nd`), [size]), 16)).toEqual([
        '!limit',
        'b',
        '!limit',
        'd',
      ])
    }
  })

  it('does not keep the chunks it was given', () => {
    const lines: string[] = []
    const decoder = createLineDecoder({ onLine: (text) => lines.push(text), onFault: () => {} })
    const chunk = toBytes('first\nsec')
    decoder.push(chunk)
    chunk.fill(0x78)
    decoder.push(toBytes('ond\n'))
    expect(lines).toEqual(['first', 'second'])
  })

  it('gives the same lines and faults for any bytes in any chunks', () => {
    const alphabet = [0x0a, 0x0d, 0x61, 0x7b, 0xc3, 0xa9, 0xff, 0xef, 0xbb, 0xbf, 0xf0, 0x9f, 0x98, 0x80]
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...alphabet), { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (codes, sizes) => {
          const bytes = Uint8Array.from(codes)
          for (const limit of [6, 1000]) expect(decode(cut(bytes, sizes), limit)).toEqual(decode([bytes], limit))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('gives back what encodeLine wrote', () => {
    const message = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text }))
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 40 })), (texts, sizes) => {
        expect(decode(cut(toBytes(texts.map(encodeLine).join('')), sizes))).toEqual(texts)
      }),
    )
  })

  it('reads a megabyte that comes byte by byte', () => {
    const bytes = toBytes(`${'é'.repeat(500_000)}\n`)
    expect(decode(cut(bytes, [1]))[0]?.length).toBe(500_000)
  })
})

describe('the byte buffer', () => {
  it('moves what it holds a logarithmic number of times', () => {
    const buffer = new ByteBuffer()
    const storages = new Set<ArrayBufferLike>()
    for (let count = 0; count < 1_000_000; count++) {
      buffer.append(Uint8Array.of(count))
      if (count % 512 === 0) storages.add(buffer.view().buffer)
    }
    expect(buffer.length).toBe(1_000_000)
    expect(storages.size).toBeLessThan(12)
    expect(buffer.view().buffer.byteLength).toBeLessThan(2 * 1_000_000 + 1024)
    buffer.clear()
    expect(buffer.view().buffer.byteLength).toBe(0)
  })
})
