/** Whether data is found again when it comes back in other clothes, and what it costs to look. */

import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createProvenance } from './provenance.ts'

const SECRET = 'Tok-9f27ab-KLM42'
const SENTENCE = 'The quarterly numbers will be published next Thursday evening'

function contextWith(value: unknown) {
  const context = createProvenance()
  context.note('mail', value)
  return context
}

const hex = (text: string) => Buffer.from(text).toString('hex')
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('what another server has said is found', () => {
  it.each<[string, unknown]>([
    ['as it is', SECRET],
    ['inside a longer text', `please send ${SECRET} now`],
    ['in another case', SECRET.toUpperCase()],
    ['without punctuation', SECRET.replaceAll('-', '')],
    ['with spaces', [...SECRET].join(' ')],
    ['in wide letters', SECRET.replace(/[A-Z]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))],
    ['with invisible characters', [...SECRET].join('\u200b')],
    ['in base64', base64(SECRET)],
    ['in base64 within a URL', `https://x.example/?d=${base64(`v=${SECRET}`)}`],
    ['in base64url', Buffer.from(`a?b>${SECRET}`).toString('base64url')],
    ['in hexadecimal', hex(SECRET)],
    ['percent-encoded', [...SECRET].map((one) => `%${hex(one)}`).join('')],
    ['with escapes', [...SECRET].map((one) => `\\u00${hex(one)}`).join('')],
    ['encoded twice', base64(encodeURIComponent(base64(SECRET)))],
    ['reversed (host 38)', [...SECRET].reverse().join('')],
    ['rotated by thirteen (host 38)', 'Gbx-9s27no-XYZ42'],
    ['three times in base64 (host 38)', base64(base64(base64(SECRET)))],
    ['four times in base64 (host 38)', base64(base64(base64(base64(SECRET))))],
    ['packed (host 38)', gzipSync(SECRET).toString('base64')],
    ['deflated (host 38)', deflateSync(SECRET).toString('hex')],
    ['as an array of characters (host 38)', [...SECRET]],
    ['as an array of codes (host 38)', [...SECRET].map((one) => one.charCodeAt(0))],
    ['as codes in a text (host 38)', [...SECRET].map((one) => one.charCodeAt(0)).join(', ')],
    ['in pieces (host 38)', { a: SECRET.slice(0, 5), b: SECRET.slice(5, 10), c: SECRET.slice(10) }],
    ['in look-alike letters (host 38)', SECRET.replace('T', 'Т').replace('o', 'о').replace('a', 'а').replace('M', 'М')],
    ['as entities (host 38)', [...SECRET].map((one) => `&#${one.charCodeAt(0)};`).join('')],
    ['as hexadecimal entities (host 38)', [...SECRET].map((one) => `&#x${hex(one)};`).join('')],
    ['in hexadecimal with colons (host 38)', [...SECRET].map(hex).join(':')],
    ['with one character before the base64 (host 38)', `x${base64(SECRET)}`],
    ['reversed base64 of the reversed (host 38)', base64([...SECRET].reverse().join(''))],
    ['as the name of a member', { [SECRET]: 1 }],
    ['deep inside', { a: [{ b: [SECRET] }] }],
  ])('%s', (_, value) => {
    expect(
      contextWith({ content: [{ type: 'text', text: `code: ${SECRET}` }] }).sourcesOf({ value }).inArguments,
    ).toEqual(['mail'])
  })

  it.each<[string, unknown, unknown]>([
    ['a number', { account: 40817810 }, { to: 40817810 }],
    ['a number as text', { account: 40817810 }, { to: '40817810' }],
    ['a number with separators', 'You owe 1,234,567 by May', { amount: 1234567 }],
    ['an address', 'write to eve@corp.example today', { to: 'eve@corp.example' }],
    ['a part of a sentence', SENTENCE, { text: 'numbers will be published' }],
    ['the contents of an encoded file', { blob: base64(`user=ann\npass=${SECRET}\n`) }, { note: SECRET }],
  ])('%s', (_, said, given) => {
    expect(contextWith(said).sourcesOf(given).inArguments).toEqual(['mail'])
  })
})

describe('what another server has not said is not', () => {
  it.each<[string, unknown]>([
    ['other words', { text: 'Please translate this into French' }],
    ['common words', { text: 'the numbers' }],
    ['a short value', { n: 3, ok: true, s: 'next' }],
    ['nothing', {}],
  ])('%s', (_, given) => {
    const { inArguments, inTurn } = contextWith(SENTENCE).sourcesOf(given)
    expect([inArguments, inTurn]).toEqual([[], ['mail']])
  })

  it('what the person has said themselves is theirs', () => {
    const context = contextWith(`you asked about ${SECRET}`)
    context.noteUser(`look up ${SECRET} for me`)
    expect(context.sourcesOf({ q: SECRET }).inArguments).toEqual([])
    expect(context.sourcesOf({ q: `you asked about ${SECRET}` }).inArguments).toEqual(['mail'])
  })

  it('words that are said again are still whose they were, also where names run into each other (house 3)', () => {
    const context = createProvenance()
    const said = [
      ['mail', 'box 4711 0815 2342'],
      ['mail box', '4711 0815 2342'],
      ['mail', 'box 4711 0815 2342'],
    ] as const
    for (const [server, words] of said) context.note(server, words)
    expect(context.sourcesOf({ q: '4711 0815 2342' }).inArguments).toEqual(['mail', 'mail box'])
    expect(context.sourcesOf({ q: '4711 0815 2342' }, 'mail').inArguments).toEqual(['mail box'])
  })

  it('a conversation that nobody has said anything in has no sources', () => {
    expect(createProvenance().sourcesOf({ a: SECRET })).toEqual({ inArguments: [], inTurn: [] })
  })
})

it('any secret of some length is found in any surroundings, and tells its server', () => {
  const word = fc.stringMatching(/^[a-z]{4}[0-9]{4}[a-z]{4}$/)
  fc.assert(
    fc.property(
      word,
      fc.string(),
      fc.string(),
      fc.constantFrom(String, base64, hex),
      (secret, before, after, encode) => {
        const context = createProvenance()
        context.note('a', `${before} ${secret} ${after}`)
        context.note('b', 'nothing of the kind')
        expect(context.sourcesOf({ x: [encode(`${after} ${secret} ${before}`)] }).inArguments).toContain('a')
      },
    ),
  )
})

describe('bounds', () => {
  it('what is too much to remember cannot be excluded', () => {
    const context = createProvenance({ maxPieces: 100 })
    context.note('mail', 'x'.repeat(10) + Array.from({ length: 200 }, (_, index) => `word${index}`).join(' '))
    expect(context.sourcesOf({ a: 'something else entirely' }).inArguments).toEqual(['mail'])
    expect(context.sourcesOf({ a: 1 }).inArguments).toEqual([])
  })

  it('what is too much to look at cannot be excluded', () => {
    const context = contextWith('hello there')
    expect(context.sourcesOf({ a: Array(60_000).fill('zzz') }).inArguments).toEqual(['mail'])
    let deep: unknown = 'x'
    for (let level = 0; level < 100; level++) deep = [deep]
    expect(context.sourcesOf({ deep }).inArguments).toEqual(['mail'])
  })

  it('a large result is taken up and searched in reasonable time', () => {
    const started = performance.now()
    const context = contextWith({ content: [{ type: 'image', data: 'iVBORw0KGgo'.repeat(300_000) }] })
    context.note('files', Array.from({ length: 60_000 }, (_, index) => `line ${index} of it`).join('\n'))
    context.sourcesOf({ text: 'A'.repeat(100_000) })
    expect(performance.now() - started).toBeLessThan(8_000)
  })

  it('the words themselves are kept by origin, the latest of them', () => {
    const context = createProvenance({ maxWords: 100 })
    context.note('a', 'first words of a')
    context.note('b', 'first words of b')
    expect(context.wordsOf('a')).toBe('[from a]\nfirst words of a')
    expect(context.wordsOf()).toContain('first words of b')
    for (let round = 0; round < 50; round++) context.note('a', `message number ${round}`)
    expect(context.wordsOf().length).toBeLessThan(1_000)
    expect(context.wordsOf('a')).toContain('message number 49')
  })

  it('trusted words do not taint', () => {
    const context = createProvenance()
    context.note('a', 'x', { trusted: true })
    expect(context.isTainted()).toBe(false)
    context.note('b', 'x')
    expect(context.isTainted()).toBe(true)
  })
})
