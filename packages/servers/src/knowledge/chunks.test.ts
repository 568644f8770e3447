import { describe, expect, it } from 'vitest'
import { toChunks, toLines } from './chunks.ts'
import { citationUri, documentUri, readPlace } from './citation.ts'

describe('pieces of a document', () => {
  it('follow headings and name the lines they stand on', () => {
    const text = [
      '# Guide',
      '',
      'Intro.',
      '',
      '## Setup ##',
      'Install it.',
      '',
      '### Linux',
      'apt',
      '## Use',
      'Run it.',
    ]
    expect(toChunks(toLines(text.join('\r\n')))).toEqual([
      { headings: ['Guide'], text: '# Guide\n\nIntro.', from: 1, to: 3 },
      { headings: ['Guide', 'Setup'], text: '## Setup ##\nInstall it.', from: 5, to: 6 },
      { headings: ['Guide', 'Setup', 'Linux'], text: '### Linux\napt', from: 8, to: 9 },
      { headings: ['Guide', 'Use'], text: '## Use\nRun it.', from: 10, to: 11 },
    ])
  })

  it('hold all of a line, however long, and no half of a character', () => {
    const words = `${'word '.repeat(30_000)}needle`
    const lines = toLines(`first\n${words}\n${'😀'.repeat(50_000)}\nlast`)
    expect(lines.every((line) => line.length <= 20_000 && !/\p{Surrogate}/u.test(line))).toBe(true)
    expect(lines.join('')).toBe(`first${words}${'😀'.repeat(50_000)}last`)
    const chunks = toChunks(lines)
    const found = chunks.find(({ text }) => text.includes('needle'))
    expect(lines.slice((found?.from ?? 0) - 1, found?.to).join('')).toContain('needle')
    expect(chunks.at(-1)?.to).toBe(lines.length)
  })

  it('do not take a comment in code for a heading', () => {
    expect(toChunks(['```sh', '# not a heading', '```']).map(({ headings }) => headings)).toEqual([[]])
  })

  it('end between paragraphs when they get long, and cover every line once', () => {
    const lines = Array.from({ length: 300 }, (_, index) => (index % 5 === 4 ? '' : `line ${index} ${'x'.repeat(60)}`))
    const chunks = toChunks(lines)
    expect(chunks.length).toBeGreaterThan(5)
    const covered = chunks.flatMap(({ from, to }) => lines.slice(from - 1, to)).filter((line) => line !== '')
    expect(covered).toEqual(lines.filter((line) => line !== ''))
  })

  it.each(['', '\n\n\n', '#', '# '])('of nothing are none: %j', (text) => {
    expect(toChunks(toLines(text)).filter(({ text: piece }) => piece.length > 1)).toEqual([])
  })
})

describe('citations', () => {
  it('are URIs, whatever a file is called', () => {
    expect(documentUri('a b/c#1 (é).md')).toBe('knowledge://doc/a%20b/c%231%20%28%C3%A9%29.md')
    expect(citationUri('a.md', 3, 9)).toBe('knowledge://doc/a.md#L3-L9')
  })

  it.each([
    ['a.md', { path: 'a.md' }],
    ['a.md#L3-L9', { path: 'a.md', lines: [3, 9] }],
    ['a.md#L3', { path: 'a.md', lines: [3, 3] }],
    ['odd#L1-L2', { path: 'odd#L1-L2' }],
    ['../a.md', undefined],
    ['b.md#L1', undefined],
    ['a.md#L99999999999', undefined],
  ])('are read: %s', (path, place) => {
    expect(readPlace(path, (one) => one === 'a.md' || one === 'odd#L1-L2')).toEqual(place)
  })
})
