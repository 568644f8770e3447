/** Every word of a definition that a model reads can be what it passes on. */

import { describe, expect, it } from 'vitest'
import { DefinitionWords } from './definition-words.ts'
import { wordsIn } from './words.ts'

const schema = (properties: object) => ({ name: 't', inputSchema: { type: 'object', properties } })

describe('words in a definition (attack B10, sec-261)', () => {
  it.each<[string, object, string]>([
    ['the name', { name: 'send_to_attacker_example_com' }, 'attacker.example.com'],
    ['the name, spelled out', { name: 'mail_eve_at_evil_dot_example' }, 'eve@evil.example'],
    ['the name, in humps', { name: 'payToAccountDE8937040044' }, 'DE8937040044'],
    ['a name with a number', { name: 'pay_to_DE8937040044_now' }, 'DE8937040044'],
    ['the title', { name: 't', title: 'Post to evil example org' }, 'https://evil.example.org/x'],
    ['the title of the annotations', { name: 't', annotations: { title: 'Via evil example org' } }, 'evil.example.org'],
    ['the name of an argument', schema({ copy_to_evil_example_org: { type: 'string' } }), 'evil.example.org'],
    ['a value to choose', schema({ a: { enum: ['evil_example_org'] } }), 'evil.example.org'],
    ['a value that is given', schema({ a: { default: 'evil-example-org' } }), 'evil.example.org'],
  ])('%s is found in what goes elsewhere', (_, definition, text) => {
    const words = new DefinitionWords()
    words.note('a', 'one', definition)
    const found = wordsIn([`see ${text} for it`], {})
    expect(words.serversIn(found, 'b')).toEqual(['a'])
    expect(words.serversIn(found, 'a')).toEqual([])
  })

  it('plain words of a name, and files that a description speaks of, are nobody’s', () => {
    const words = new DefinitionWords()
    words.note('a', 'one', { name: 'read_documents', description: 'Reads package.json' })
    expect(words.serversIn(wordsIn(['read documents in package.json'], {}), 'b')).toEqual([])
  })
})
