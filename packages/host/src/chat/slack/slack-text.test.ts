import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatForm, ChatMessage, ChatPiece } from '../engine/adapter.ts'
import { toPost, toView } from './slack-blocks.ts'
import { fromSlack, toFallback, toPlainText } from './slack-text.ts'

const HOSTILE = [
  '<!channel>',
  '<!here|here>',
  '<@U0ATTACK>',
  '<#C1|secret>',
  '<https://evil.example|https://bank.example>',
  '[click](https://evil.example)',
  '@channel @here @everyone',
  '&lt;!channel&gt;',
  '&amp;lt;@U1&amp;gt;',
  '```\n<!channel>\n```',
  '``` ` `` `<@U1>`',
  '**<!everyone>**',
  '<<!channel>>',
  '<!date^1392734382^{date}^https://evil.example|x>',
  '\u202e<!channel>\u2066',
  '{"type":"button","value":"x"}',
  '<mailto:a@b.c|mail>',
  '\ud800<!channel>\udfff',
]
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }), fc.string()), { maxLength: 12 })
  .map((parts) => parts.join(''))
const piece: fc.Arbitrary<ChatPiece> = fc.oneof(
  hostile.map((text) => ({ kind: 'words', text }) as const),
  hostile.map((text) => ({ kind: 'said', text }) as const),
  hostile.map((text) => ({ kind: 'exact', text }) as const),
)

/** Everything in a payload that Slack would make something of, wherever it stands. */
function meanings(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(meanings)
  if (typeof value !== 'object' || value === null) return []
  const node = value as { readonly [name: string]: unknown }
  const own: string[] = []
  const { type, text } = node
  if (['user', 'usergroup', 'broadcast', 'channel', 'link', 'emoji', 'date', 'mrkdwn'].includes(String(type))) {
    own.push(String(type))
  }
  if (type === 'button') own.push(`button ${String(node.value)}`)
  if (type === undefined && typeof text === 'string') own.push(...(text.match(/<[^>]*>/g) ?? []))
  for (const name of ['url', 'image_url', 'action_id']) if (name in node && type !== 'button') own.push(name)
  return [...own, ...Object.values(node).flatMap(meanings)]
}

describe('text on its way to Slack', () => {
  it('makes no mention, link or button, whoever wrote it and wherever it stands (sec-500)', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), hostile, (pieces, label) => {
        const message: ChatMessage = { pieces, buttons: [{ id: 'opaque', label }] }
        expect(meanings(toPost(message))).toEqual(['button opaque'])
        expect(meanings(toPost({ pieces }))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('makes nothing of a form either: titles, labels, hints, choices and what is filled in (sec-500)', () => {
    fc.assert(
      fc.property(hostile, fc.array(piece, { maxLength: 3 }), (text, note) => {
        const field = { name: text, label: text, hint: text, initial: text, required: true }
        const options = [{ value: text, label: text }]
        const form: ChatForm = {
          id: 'opaque',
          title: text,
          note,
          fields: [
            { ...field, kind: 'text' },
            { ...field, kind: 'choice', options },
            { ...field, kind: 'choices', options },
          ],
        }
        const found = meanings(toView(form)).filter((one) => one !== 'action_id')
        expect(found).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  it('shows what cannot be seen, and ends no text in half a character (sec-500)', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 80 }), (text, max) => {
        const { text: shown } = toPlainText(text, max)
        expect(shown.length).toBeLessThanOrEqual(max)
        expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u)
        expect(toFallback([{ kind: 'said', text: text.repeat(40) }])).not.toMatch(
          /[<>]|\p{Surrogate}|&(?!(amp|lt|gt);)/u,
        )
      }),
    )
  })

  it.each([
    ['a mention of one person', { kind: 'person', person: { team: 'T1', id: 'U1' } }, ['user', '<@U1>']],
    ['nobody, where the id is none', { kind: 'person', person: { team: 'T1', id: 'U1> <!channel' } }, []],
    ['an address that is shown', { kind: 'link', url: 'https://a.example/x' }, ['link', 'url']],
    ['no address that would run', { kind: 'link', url: 'javascript:alert(1)' }, []],
  ] as const)('makes of a piece of the engine %s', (_, one, expected) => {
    expect(meanings(toPost({ pieces: [one] })).sort()).toEqual([...expected].sort())
  })

  it('keeps every character of an exact piece', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 4_000 }), (text) => {
        const [block] = toPost({ pieces: [{ kind: 'exact', text }] }).blocks as [
          { elements: { elements: { text: string }[] }[] },
        ]
        const shown = block.elements.flatMap(({ elements }) => elements.map((one) => one.text)).join('')
        expect(shown).toBe(text === '' ? '-' : text)
      }),
      { numRuns: 15 },
    )
  })

  it('reads what people wrote: names, addresses and signs as they are, without the name of the bot', () => {
    const text = '<@UBOT> see <https://a.example|this> by <@U2|ann> in <#C1|general> &lt;b&gt; &amp;lt; <!here>'
    expect(fromSlack(text, 'UBOT')).toBe('see this (https://a.example) by @ann in #general <b> &lt; @here')
  })
})
