/** The docs as a server: pages are found by words, read by their URI, and nothing outside of the folder is. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StdioExample } from './test/stdio-example.ts'

describe('docs-server', () => {
  let server: StdioExample

  beforeEach(() => {
    server = new StdioExample('docs-server.ts')
  })

  afterEach(async () => {
    expect(await server.end()).toBe(0)
  })

  test('finds a page by words and links it, and the link can be read', async () => {
    const { result } = await server.modern('tools/call', {
      name: 'search_docs',
      arguments: { words: 'testing your server' },
    })
    const [first] = result.content
    expect(first).toMatchObject({ type: 'resource_link', uri: 'docs:///guide/testing.md', name: 'Testing your server' })
    const read = await server.modern('resources/read', { uri: first.uri })
    expect(read.result.contents[0].text).toContain('# Testing your server')
  })

  test('says so when nothing is found', async () => {
    const { result } = await server.modern('tools/call', { name: 'search_docs', arguments: { words: 'xylophone' } })
    expect(result.content[0].text).toContain('Nothing was found')
  })

  test('lists every page, and reads no other file', async () => {
    const { result } = await server.modern('resources/list', {})
    expect(result.resources.map(({ uri }: { uri: string }) => uri)).toContain('docs:///llms.txt')
    for (const uri of ['docs:///../package.json', 'docs:///guide/../../package.json', 'docs:///guide/none.md']) {
      expect((await server.modern('resources/read', { uri })).error).toBeDefined()
    }
  })
})
