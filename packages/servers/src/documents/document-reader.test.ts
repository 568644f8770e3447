import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pdf } from '../../test/fixtures/pdf.ts'
import { createDocumentReader } from './document-reader.ts'

describe('the reader of documents for hosts (founding 7)', () => {
  it('finds the text of a PDF and of a page', async () => {
    const read = createDocumentReader({ timeoutMs: 60_000 })
    const words = 'BT /F1 12 Tf 72 700 Td (Barnacles on the hull) Tj ET'
    expect(await read(pdf(words), 'application/pdf')).toContain('Barnacles on the hull')
    expect(await read(Buffer.from('<p>Some <b>words</b></p>'), 'text/html')).toContain('words')
    expect(
      (await createDocumentReader({ timeoutMs: 60_000, maxLength: 12 })(pdf(words), 'application/pdf')).length,
    ).toBe(12)
  })

  it('says why there is none, and goes on with the next', async () => {
    const read = createDocumentReader({ timeoutMs: 30_000 })
    await expect(read(Buffer.from('%PDF-1.4 nothing'), 'application/pdf')).rejects.toThrow('read as PDF')
    await expect(read(Buffer.from('PK'), 'application/zip')).rejects.toThrow('no text can be read from application/zip')
    const bomb = pdf(deflateSync(Buffer.alloc(60_000_000, '(a) Tj ')), '/Filter /FlateDecode')
    const hasty = createDocumentReader({ timeoutMs: 1_000 })
    await expect(hasty(bomb, 'application/pdf')).rejects.toThrow(/took longer|memory/)
    const words = pdf('BT /F1 12 Tf 72 700 Td (Alive) Tj ET')
    expect(await createDocumentReader({ timeoutMs: 60_000 })(words, 'application/pdf')).toContain('Alive')
  })

  it('sec-292: a source that brings many slow documents delays one of another by no more than the one at work', async () => {
    // Long enough for a busy machine, too short for what is compressed here.
    const read = createDocumentReader({ timeoutMs: 1_500 })
    const bomb = pdf(deflateSync(Buffer.alloc(60_000_000, '(a) Tj ')), '/Filter /FlateDecode')
    const ended: string[] = []
    const slow = Array.from({ length: 4 }, () =>
      read(bomb, 'application/pdf', 'hostile').catch((error: Error) => ended.push(error.message)),
    )
    const page = await read(Buffer.from('<p>Some words</p>'), 'text/html', 'innocent')
    expect(page).toContain('words')
    expect(ended.length).toBe(1)
    expect(ended[0]).toMatch(/took longer than 1500 ms$|memory/)
    await Promise.all(slow)
    expect(ended.length).toBe(4)
  })
})
