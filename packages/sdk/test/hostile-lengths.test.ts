import { expect, it } from 'vitest'
import { growsInStep, type Hostile, repeated } from '../../../tests/support/growth.ts'
import { zoneOfAddress } from '../src/auth/network/network-zone.ts'
import { parseFrontmatter } from '../src/protocol/skills/skills-frontmatter.ts'
import { replaceWebTokens } from '../src/text/web-tokens.ts'
import { lastWords } from '../src/transport/child-process/child-process-stderr.ts'

const WORKS: readonly (readonly [string, (text: string) => unknown, Hostile])[] = [
  ['tokens', (text) => replaceWebTokens(text, 'x', [8, 1]), repeated('eyJ-')],
  ['parts of tokens', (text) => replaceWebTokens(text, 'x', [8, 1]), repeated('eyJ.')],
  ['a zone of an address', zoneOfAddress, repeated('%a', '', '\n')],
  ['a key of a skill', parseFrontmatter, repeated(' ', '---\nname: a\ndescription: b\na', 'b\n---\n')],
  ['the last words of a program', lastWords, repeated('Error.')],
]

it.each(WORKS)('sec-719: the work on a long text grows with its length: %s', (_name, work, hostile) => {
  expect(growsInStep(work, hostile)).toBe(true)
})
