import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { lintServer } from '@portico/sdk/lint'
import { type TestClient, testClient } from '@portico/sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pdf } from '../../test/fixtures/pdf.ts'
import { entry } from './entry.ts'
import { createKnowledgeServer, type KnowledgeServerOptions } from './server.ts'

let folder = ''
const opened: { close(): Promise<unknown> }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knowledge-test-'))
})

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(options: Partial<KnowledgeServerOptions> = {}): Promise<TestClient> {
  const ready = await createKnowledgeServer({ directory: folder, watch: false, structured: true, ...options })
  const client = await testClient(ready.server)
  opened.push(client, ready)
  return client
}

async function write(path: string, text: string | Uint8Array): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true })
  await writeFile(join(folder, path), text)
}

interface Hit {
  readonly document: string
  readonly headings: string[]
  readonly lines: number[]
  readonly snippet: string
  readonly citation: string
}

async function search(client: TestClient, query: string, under?: string): Promise<Hit[]> {
  const { structuredContent } = await client.callTool('search_documents', {
    query,
    ...(under !== undefined && { under }),
  })
  return (structuredContent as { hits: Hit[] }).hits
}

async function list(client: TestClient) {
  const { structuredContent } = await client.callTool('list_documents')
  return structuredContent as {
    documents: { document: string }[]
    left_out: { file: string; reason: string }[]
    nextCursor?: string
  }
}

const textOf = async (client: TestClient, uri: string): Promise<string> => {
  const { contents } = await client.readResource(uri)
  return contents.map((one) => ('text' in one ? one.text : '')).join('')
}

describe('documents', () => {
  it('of all four kinds are found, and cited by lines that can be read', async () => {
    await write('guide.md', '# Lamps\n\nHow to light them.\n\n## Oil\n\nWhale oil burns brightly.\n')
    await write('deep/er/notes.txt', 'First line.\n\nThe keeper sleeps at noon.\n')
    await write(
      'page.html',
      '<title>Storms</title><body><h1>Wind</h1><p>Gales come in <b>autumn</b>.<script>evil()</script><p style="display:none">lurking</p><p style="color:#fff">whitewashed</p>',
    )
    await write('paper.pdf', pdf('BT /F1 12 Tf 72 700 Td (Barnacles on the hull) Tj ET'))
    const client = await open()
    const [oil] = await search(client, 'whale oil')
    expect(oil).toMatchObject({ document: 'guide.md', headings: ['Lamps', 'Oil'], lines: [5, 7] })
    expect(oil?.citation).toBe('knowledge://doc/guide.md#L5-L7')
    expect(await textOf(client, String(oil?.citation))).toBe('## Oil\n\nWhale oil burns brightly.')
    for (const [query, document, part] of [
      ['keeper', 'deep/er/notes.txt', 'sleeps at noon'],
      ['gales', 'page.html', 'Gales come in autumn.'],
      ['barnacles', 'paper.pdf', 'Barnacles on the hull'],
    ] as const) {
      const [hit] = await search(client, query)
      expect(hit?.document).toBe(document)
      expect(await textOf(client, String(hit?.citation))).toContain(part)
    }
    // servers 28: what a reader would not see is not found either.
    for (const word of ['evil', 'lurking', 'whitewashed']) expect(await search(client, word), word).toEqual([])
    const { content } = await client.callTool('search_documents', { query: 'keeper' })
    expect(content).toContainEqual(
      expect.objectContaining({ type: 'resource_link', uri: expect.stringContaining('#L') }),
    )
  })

  it('are searched under one path, with words half typed or misspelt', async () => {
    await write('a/one.md', 'The lighthouse stands.')
    await write('b/two.md', 'The lighthouse fell.')
    const client = await open()
    expect((await search(client, 'lighth')).map(({ document }) => document).sort()).toEqual(['a/one.md', 'b/two.md'])
    expect((await search(client, 'lighthouze', 'b/')).map(({ document }) => document)).toEqual(['b/two.md'])
  })

  it('are named once as people write them, in lines as an editor counts them', async () => {
    await write('größe.md', '# Height\n\nThe tower is high.\n')
    const client = await open()
    const { content } = await client.callTool('search_documents', { query: 'tower' })
    const [passage] = content.map((block) => (block.type === 'text' ? block.text : ''))
    expect(passage?.split('\n')[0]).toBe('größe.md#L1-L3 › Height')
    expect(passage).not.toContain('knowledge://')
    const read = await client.callTool('read_document', { document: 'größe.md#L3-L3' })
    expect(read.structuredContent).toMatchObject({ text: 'The tower is high.', from: 3, to: 3, total: 3 })
  })

  it('that have all the words come before those that have one of them', async () => {
    await write('some.md', '# Lamp\n\nLamp lamp lamp.')
    await write('all.md', `A long text about other things. ${'More of it. '.repeat(60)} The lamp needs oil.`)
    const client = await open()
    expect((await search(client, 'lamp oil')).map(({ document }) => document)).toEqual(['all.md', 'some.md'])
  })

  it('are read around a passage, listed in pages, and completed', async () => {
    await Promise.all(
      Array.from({ length: 130 }, (_, i) => write(`n${String(i).padStart(3, '0')}.txt`, `number ${i}\nsecond`)),
    )
    const client = await open()
    const read = await client.callTool('read_document', { document: 'n003.txt', from: 2 })
    expect(read.structuredContent).toMatchObject({ text: 'second', from: 2, to: 2, total: 2 })
    const first = await list(client)
    expect(first.documents).toHaveLength(100)
    const second = await client.callTool('list_documents', { cursor: first.nextCursor })
    expect((second.structuredContent as { documents: unknown[] }).documents).toHaveLength(30)
    for (const cursor of ['', 'x', '-1'])
      expect((await client.callTool('list_documents', { cursor })).isError).toBe(true)
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'knowledge://doc/{+path}' },
      argument: { name: 'path', value: 'n12' },
    })
    expect(completion.values).toHaveLength(10)
    expect(await client.listResources()).toHaveLength(130)
    const asked = await client.getPrompt('answer_from_documents', { question: 'Which number?' })
    expect(JSON.stringify(asked)).toContain('Which number?')
  })

  it('tell how far indexing is', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, i) => write(`${i}.txt`, `number ${i}`)))
    const client = await open()
    const seen: number[] = []
    await client.callTool('reindex', {}, { onProgress: ({ progress }) => void seen.push(progress) })
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.at(-1)).toBe(30)
  })

  it('show what cannot be seen (sec-125)', async () => {
    await write('a.txt', 'harmless \u202Etxt\u{E0041}\u001b[31m')
    const client = await open()
    const [hit] = await search(client, 'harmless')
    expect(hit?.snippet).toBe('harmless \\u{202E}txt\\u{E0041}\\u{1B}[31m')
    expect(await textOf(client, 'knowledge://doc/a.txt')).not.toContain('\u202E')
  })
})

describe('changes', () => {
  it.each(['2025-06-18', '2026-07-28'] as const)('are noticed and told (%s)', async (version) => {
    await write('a.md', 'The old lamp.')
    const ready = await createKnowledgeServer({ directory: folder, structured: true })
    const client = await testClient(ready.server, { version })
    opened.push(client, ready)
    expect(await search(client, 'lamp')).toHaveLength(1)
    const told = new Promise<void>(
      (resolve) =>
        void client.subscribe('knowledge://doc/a.md', () => resolve()).then(() => write('a.md', 'The new mirror.')),
    )
    await told
    expect(await search(client, 'lamp')).toEqual([])
    expect(await search(client, 'mirror')).toHaveLength(1)
    const gone = new Promise<void>(
      (resolve) => void client.subscribe('knowledge://doc/a.md', () => resolve()).then(() => rm(join(folder, 'a.md'))),
    )
    await gone
    expect(await search(client, 'mirror')).toEqual([])
  })

  it('are found by reindex where nobody watches, and only changed files are read', async () => {
    await write('a.md', 'alpha')
    await write('b.md', 'beta')
    const client = await open()
    expect(await search(client, 'alpha')).toHaveLength(1)
    await write('c.md', 'gamma')
    await rm(join(folder, 'a.md'))
    const { structuredContent } = await client.callTool('reindex')
    expect(structuredContent).toEqual({ documents: 2, left_out: 0 })
    expect(await search(client, 'alpha')).toEqual([])
    expect(await search(client, 'gamma')).toHaveLength(1)
  })
})

describe('hostile files', () => {
  it('are left out with a reason, and the others are found', async () => {
    await write('good.md', 'The good one.')
    await write('huge.txt', 'x'.repeat(200_001))
    await write('broken.pdf', '%PDF-1.4 and then nothing that makes sense')
    await write('empty.pdf', '')
    await write('binary.txt', new Uint8Array([1, 0, 2, 0]))
    await write('.hidden/secret.md', 'hidden secret')
    await write('node_modules/p/readme.md', 'dependency')
    await symlink('/etc/passwd', join(folder, 'passwd.txt'))
    const client = await open({ maxFileBytes: 200_000 })
    expect(await search(client, 'good')).toHaveLength(1)
    const { documents, left_out } = await list(client)
    expect(documents.map(({ document }) => document)).toEqual(['good.md'])
    const reasons = new Map(left_out.map(({ file, reason }) => [file, reason]))
    expect(reasons.get('huge.txt')).toContain('maxFileBytes')
    expect(reasons.get('broken.pdf')).toContain('PDF')
    expect(reasons.get('empty.pdf')).toContain('PDF')
    expect(reasons.get('binary.txt')).toContain('not text')
    expect(reasons.get('passwd.txt')).toContain('link')
    expect(reasons.size).toBe(5)
    const refused = await client.callTool('read_document', { document: 'huge.txt' })
    expect(JSON.stringify(refused.content)).toContain('maxFileBytes')
  })

  it('that nest, repeat or unpack without end are bounded', async () => {
    await write('good.md', 'The good one.')
    await write('deep.html', `${'<div>'.repeat(100_000)}bottom words`)
    await write('deep-lists.html', `${'<ul><li>'.repeat(50_000)}lowest`)
    await write('attributes.html', `<p ${'a=b '.repeat(100_000)}>attribute words`)
    const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('')
    await write('bomb.html', `<!DOCTYPE html [<!ENTITY e0 "lol">${entities}]><p>&e20; after the bomb</p>`)
    await write('unpacks.pdf', pdf(deflateSync(Buffer.alloc(60_000_000, '(a) Tj ')), '/Filter /FlateDecode'))
    const client = await open({ extractTimeoutMs: 1000 })
    expect(await search(client, 'good')).toHaveLength(1)
    const { documents, left_out } = await list(client)
    expect(documents.length + left_out.length).toBe(6)
    expect(left_out.map(({ file }) => file)).toContain('unpacks.pdf')
    expect(JSON.stringify(await search(client, 'bomb'))).not.toContain('lollollol')
  })

  it('by the thousand stay within maxFiles and maxTotalBytes', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, i) => write(`${i}.txt`, 'y'.repeat(1000))))
    const few = await open({ maxFiles: 5 })
    const first = await list(few)
    expect(first.documents).toHaveLength(5)
    expect(first.left_out[0]?.reason).toContain('maxFiles')
    const small = await open({ maxTotalBytes: 3500 })
    const second = await list(small)
    expect(second.documents).toHaveLength(3)
    expect(second.left_out[0]?.reason).toContain('maxTotalBytes')
  })

  it('servers 24: of nothing but different words are left out, and others have their turn meanwhile', async () => {
    await write('few.txt', 'one two three four')
    await write('many.txt', 'one two three four five')
    const { documents, left_out } = await list(await open({ maxWords: 4 }))
    expect(documents.map(({ document }) => document)).toEqual(['few.txt'])
    expect(left_out).toEqual([{ file: 'many.txt', reason: 'it has more than 4 different words (option "maxWords")' }])
  })
})

describe('the folder', () => {
  it.each([
    '../outside.md',
    '..%2Foutside.md',
    '%2e%2e/outside.md',
    'sub/../../outside.md',
    '/etc/passwd',
    '..\\outside.md',
    'sub/%00',
    'linked/outside.md',
  ])('is not left by a URI: %s (sec-131)', async (path) => {
    const outside = `${folder}-outside`
    await mkdir(outside)
    await writeFile(join(outside, 'outside.md'), 'outside words')
    await write('sub/in.md', 'inside words')
    await symlink(outside, join(folder, 'linked'))
    try {
      const client = await open()
      await expect(client.readResource(`knowledge://doc/${path}`)).rejects.toThrow()
      expect((await client.callTool('read_document', { document: path })).isError).toBe(true)
      expect(await search(client, 'outside')).toEqual([])
    } finally {
      await rm(outside, { recursive: true })
    }
  })

  it('is not left when a folder turns into a link after it was listed (sec-131)', async () => {
    const outside = `${folder}-outside`
    await mkdir(outside)
    await writeFile(join(outside, 'a.md'), 'outside words')
    await write('sub/a.md', 'inside words')
    try {
      const client = await open()
      expect(await search(client, 'inside')).toHaveLength(1)
      await rename(join(folder, 'sub'), join(folder, 'other'))
      await symlink(outside, join(folder, 'sub'))
      await client.callTool('reindex')
      expect(await search(client, 'outside')).toEqual([])
      expect((await search(client, 'inside')).map(({ document }) => document)).toEqual(['other/a.md'])
    } finally {
      await rm(outside, { recursive: true })
    }
  })

  it('must exist, and is chosen on a command line', async () => {
    await expect(createKnowledgeServer({ directory: join(folder, 'none') })).rejects.toThrow('no folder')
    await write('a.rst', 'words')
    const ready = await entry.create({ directory: folder, extensions: ['rst'], structured: true })
    const client = await testClient(ready.server)
    opened.push(client, ready)
    expect(await search(client, 'words')).toHaveLength(1)
  })
})

it('has nothing that confuses a model', async () => {
  await write('a.md', '# A\n\nwords')
  const { server, close } = await createKnowledgeServer({ directory: folder, watch: false })
  opened.push({ close })
  expect(lintServer(server).filter(({ severity }) => severity === 'error')).toEqual([])
})
