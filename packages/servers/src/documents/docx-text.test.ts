import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { docx, paragraph } from '../../test/fixtures/docx.ts'
import { createDocumentReader } from './document-reader.ts'
import { docxToText } from './docx-text.ts'

const read = (body: string, maxLength = 10_000) => docxToText(docx(body), maxLength).text

describe('a Word document', () => {
  it('becomes lines, with its headings, its title and the rows of its tables', () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
    const table = `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('1')}${cell('2')}</w:tr></w:tbl>`
    const body = `${paragraph('Ships', 'Heading1')}${paragraph('Tom &amp; Ann&#8217;s')}${table}${paragraph('End')}`
    expect(docxToText(docx(body, 'A &lt;log&gt;'), 10_000)).toEqual({
      title: 'A <log>',
      text: '# Ships\n\nTom & Ann’s\n\na | b\n1 | 2\n\nEnd',
    })
  })

  it('keeps what one word is made of together, and breaks and tabs', () => {
    const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
    expect(read(`<w:p>${run('Ba')}${run('rn')}<w:r><w:tab/><w:br/></w:r>${run('acle')}<w:t/></w:p>`)).toBe(
      'Barn\t\nacle',
    )
  })

  it('gives no more than it may', () => {
    expect(read(paragraph('x'.repeat(1000)).repeat(1000), 100)).toHaveLength(100)
  })

  it('expands no entity and follows no declaration', () => {
    const body = `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${paragraph('&e; &#x110000; &#0;')}`
    expect(read(body)).toBe('&e;')
  })

  it('sec-292: reads broken tags in a time that grows with their number alone', () => {
    expect(read('<w:t a="'.repeat(500_000))).toBe('')
    expect(read(`<w:t>${'&'.repeat(1_000_000)}`, 2_000_000)).toHaveLength(1_000_000)
  })

  it.each([
    ['no archive', strToU8('no archive'), /cannot be read as DOCX/],
    ['an archive of something else', zipSync({ 'a.txt': strToU8('a') }), /no word\/document.xml/],
  ])('says why %s is none', async (_name, bytes, words) => {
    const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    await expect(createDocumentReader()(bytes, type)).rejects.toThrow(words)
  })
})
