/**
 * What people read in the terminal and on the page is in words that they know. Words that only this code base uses for its
 * own parts do not reach them: every text of the packages that have a reader is looked at.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'rolldown/utils'
import { expect, test } from 'vitest'
import { isTestFile, listCode } from './tree.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The word, and what is said instead. */
const PRIVATE = [
  [/\bdoors?\b/i, 'entry point, package, port'],
  [/\beras?\b/i, 'protocol version'],
  [/\bprincipals?\b/i, 'user, caller'],
  [/\bstep-?up\b/i, 'more permissions are needed'],
  [/\bparked\b/i, 'waiting'],
  [/\bverdicts?\b/i, 'decision'],
  [/\bchannels?\b/i, 'connection'],
  [/\bwants to know who you are\b/i, 'wants you to sign in'],
]

/** Members of files that people write, by the names that they have there. */
const ALLOWED = [
  'arguments, annotations, principal, time, count, when',
  'principal.roles is an empty list',
  'principal.id is an empty pattern',
  'permit (principal, action, resource) when {',
]

test('newcomer 20: the words are found in every kind of text, and in nothing that nobody reads', () => {
  const source = `import './door.ts'
    const kind = 'channel'
    const text = 'the channel is open' // an era ends
    const more = \`\${kind} was parked\`
    const page = <p title="Door">a verdict</p>`
  expect(textsOf('page.tsx', source).filter((text) => privateWordsIn(text).length > 0)).toEqual([
    'the channel is open',
    ' was parked',
    'Door',
    'a verdict',
  ])
})

test.each(['app', 'ui', 'host'])('newcomer 20: no text of packages/%s has a word that only we know', (name) => {
  const files = listCode(ROOT, `packages/${name}/src`).filter((path) => !isTestFile(path))
  expect(files.length).toBeGreaterThan(10)
  const found = files.flatMap((path) =>
    textsOf(path, readFileSync(join(ROOT, path), 'utf8'))
      .filter((text) => !ALLOWED.some((allowed) => text.trim().startsWith(allowed)))
      .flatMap((text) =>
        privateWordsIn(withoutChatWords(path, text)).map((instead) => `${path}: "${text.trim()}"; say: ${instead}`),
      ),
  )
  expect(found).toEqual([])
})

/** In a team chat a channel is what everybody there calls so. */
function withoutChatWords(path, text) {
  return /\bchat\b/.test(path) ? text.replace(/\bchannels?\b/gi, '') : text
}

function privateWordsIn(text) {
  return PRIVATE.flatMap(([word, instead]) => (word.test(text) ? [instead] : []))
}

/** What is shown on the page as it is, and elsewhere whatever has more than one word: a single one is a key. */
function textsOf(file, source) {
  const texts = []
  const shown = new Set()
  const sentence = (text) => /\S\s+\S|^\s+\S|\S\s+$/.test(text)
  new Visitor({
    JSXAttribute: ({ value }) => value?.type === 'Literal' && /^[A-Z]/.test(value.value) && shown.add(value.start),
    JSXText: ({ value }) => void texts.push(value),
    Literal: ({ value, start }) => {
      if (typeof value === 'string' && (shown.has(start) || sentence(value))) texts.push(value)
    },
    TemplateElement: ({ value }) => sentence(value.cooked ?? '') && texts.push(value.cooked),
  }).visit(parseSync(file, source).program)
  return texts
}
