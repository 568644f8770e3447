import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { chooseAmong, toRootPlaces } from './roots.ts'

const here = await realpath(tmpdir())
const uri = pathToFileURL(here).href

it('takes plain file URIs of what is there', async () => {
  expect(await toRootPlaces([{ uri }])).toEqual([here])
})

it.each([
  `${uri}/../..`,
  `${uri}/%2e%2e`,
  `${uri}%2f..`,
  `${uri}/%5c..`,
  `${uri}%00`,
  'file://server/share',
  'file:////server/share',
  'https://example.com/',
  'file:///%E0%A4%A',
  'nonsense',
  '',
])('sec-120: the root %j allows nothing', async (crooked) => {
  expect(await toRootPlaces([{ uri: crooked }])).toEqual([])
})

it.each([
  [['/a/b'], ['/a/b']],
  [['/a/b/c', '/x'], ['/a/b/c']],
  [['/a'], ['/a']],
  [['/x', '/a/bc'], undefined],
  [[], undefined],
])('servers 16b: of the roots %j, %j choose within /a/b', (places, chosen) => {
  expect(chooseAmong(places, [{ given: '/a/b', real: '/a/b' }])).toEqual(chosen)
})
