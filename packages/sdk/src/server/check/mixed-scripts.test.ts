import { describe, expect, it } from 'vitest'
import { lintServer } from './lint.ts'
import { mixedScripts } from './mixed-scripts.ts'

describe('names that can be taken for others (host 39, sec-263)', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['s\u0435nd_email', ['Latin', 'Cyrillic'], ['\u0435']],
    ['read_\u0441\u043e\u0440\u0443', ['Cyrillic'], ['\u0441', '\u043e', '\u0440', '\u0443']],
    ['\u0391lpha', ['Latin', 'Greek'], ['\u0391']],
    ['\uff53\uff45nd', ['Latin', 'Styled'], ['\uff53', '\uff45']],
    ['\u{1d42c}\u{1d41e}\u{1d427}\u{1d41d}', ['Styled'], ['\u{1d42c}', '\u{1d41e}', '\u{1d427}', '\u{1d41d}']],
    ['get\u13aauser', ['Latin', 'Cherokee'], ['\u13aa']],
    ['dele\u2c6ee\u2c86', ['Latin', 'another'], ['\u2c86']],
  ])('%s', (name, scripts, letters) => {
    expect(mixedScripts(name)).toEqual({ scripts, letters })
  })

  it.each([
    '',
    'send_email',
    'read_файл',
    'отправить',
    'プロジェクト検索',
    'メールAPI',
    'größe',
    'naïve-café',
    'a1_б2',
    '한국어漢字',
  ])('%s is plain', (name) => {
    expect(mixedScripts(name)).toBeUndefined()
  })

  it('are told apart by lint, whatever they name', () => {
    const name = 's\u0435nd'
    const catalogue = () => ({
      info: { name: '', version: '' },
      instructions: undefined,
      tools: [{ name, inputSchema: { type: 'object' as const } }],
      resources: [{ name, uri: 'x://y' }],
      resourceTemplates: [{ name, uriTemplate: 'x://{y}' }],
      prompts: [{ name }],
    })
    const found = lintServer({ catalogue }).filter(({ rule }) => rule === 'name-mixed-scripts')
    expect(found.map(({ where }) => where.split('.')[0])).toEqual(['tools', 'resources', 'resources', 'prompts'])
    expect(found[0]?.message).toContain('U+0435')
  })
})
