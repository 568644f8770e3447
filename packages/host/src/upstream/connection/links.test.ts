import { expect, test } from 'vitest'
import { Links } from './links.ts'

const linkTo = (uri: string) => ({ content: [{ type: 'resource_link' as const, uri, name: 'a' }] })

test('links are bounded by their characters too, for each reader (sec-284)', () => {
  const links = new Links()
  links.note('bob', 's', linkTo('a:of-bob'))
  links.note('ada', 's', linkTo(`a:${'x'.repeat(65_536)}`))
  expect(links.of('ada', `a:${'x'.repeat(65_536)}`)).toEqual([])
  const uris = ['1', '2', '3'].map((at) => `a:${at.repeat(30_000)}`)
  for (const uri of uris) links.note('ada', 's', linkTo(uri))
  expect(uris.map((uri) => links.of('ada', uri))).toEqual([[], ['s'], ['s']])
  // One that is linked again is counted once.
  for (let at = 0; at < 5; at++) links.note('ada', 't', linkTo(uris[2] as string))
  expect(links.of('ada', uris[1] as string)).toEqual(['s'])
  expect(links.of('ada', uris[2] as string)).toEqual(['s', 't'])
  expect(links.of('bob', 'a:of-bob')).toEqual(['s'])
})
