import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { toRealRoots } from './roots.ts'

const here = await realpath(tmpdir())
const uri = pathToFileURL(here).href

it('takes plain file URIs of what is there', async () => {
  expect(await toRealRoots([{ uri }])).toEqual([here])
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
  'file:///there/is/no/such/place',
  'file:///%E0%A4%A',
  'nonsense',
  '',
])('sec-120: the root %j allows nothing', async (crooked) => {
  expect(await toRealRoots([{ uri: crooked }])).toEqual([])
})
