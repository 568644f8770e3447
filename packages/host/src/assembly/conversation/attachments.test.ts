import { expect, it } from 'vitest'
import { createProvenance } from '../../guard/provenance.ts'
import { type AttachmentParts, readAttachment } from './attachments.ts'

it('a page that no server offers is fetched by the host, clean and noted under its own name (founding: resources)', async () => {
  const context = createProvenance()
  const words = 'a long enough sentence that only this page has ever said to anybody'
  const parts: AttachmentParts = {
    // Nothing of a server is asked for here.
    actions: {} as AttachmentParts['actions'],
    offers: () => false,
    trusts: () => false,
    fetchPage: async (url) => `${url}: ${words}\u200b`,
    context: () => context,
  }
  const piece = await readAttachment({ kind: 'resource', uri: 'https://pages.example/a' }, parts, {})
  expect(piece).toMatchObject({ server: 'pages.example', label: 'Page https://pages.example/a' })
  expect(JSON.stringify(piece.content)).toContain(words)
  expect(JSON.stringify(piece.content)).not.toContain('\u200b')
  expect(context.sourcesOf(words).inArguments).toEqual(['pages.example'])
})
