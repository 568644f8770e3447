import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pdf } from '../../test/fixtures/pdf.ts'
import { createDocumentReader } from './document-reader.ts'

describe('the reader of documents for hosts (founding 7)', () => {
  it('finds the text of a PDF and of a page', async () => {
    const read = createDocumentReader()
    const words = 'BT /F1 12 Tf 72 700 Td (Barnacles on the hull) Tj ET'
    expect(await read(pdf(words), 'application/pdf')).toContain('Barnacles on the hull')
    expect(await read(Buffer.from('<p>Some <b>words</b></p>'), 'text/html')).toContain('words')
    expect((await createDocumentReader({ maxLength: 12 })(pdf(words), 'application/pdf')).length).toBe(12)
  })

  it('says why there is none, and goes on with the next', async () => {
    const read = createDocumentReader({ timeoutMs: 1_000 })
    await expect(read(Buffer.from('%PDF-1.4 nothing'), 'application/pdf')).rejects.toThrow('read as PDF')
    await expect(read(Buffer.from('PK'), 'application/zip')).rejects.toThrow('no text can be read from application/zip')
    const bomb = pdf(deflateSync(Buffer.alloc(60_000_000, '(a) Tj ')), '/Filter /FlateDecode')
    await expect(read(bomb, 'application/pdf')).rejects.toThrow(/took longer|memory/)
    const words = pdf('BT /F1 12 Tf 72 700 Td (Alive) Tj ET')
    expect(await createDocumentReader()(words, 'application/pdf')).toContain('Alive')
  })
})
