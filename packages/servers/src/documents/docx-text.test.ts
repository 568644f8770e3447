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

  it('sec-868: leaves out what a reader would not see, and no more', () => {
    const run = (look: string, text: string) => `<w:r><w:rPr>${look}</w:rPr><w:t>${text}</w:t></w:r>`
    const dark = '<w:shd w:val="clear" w:fill="1F3864"/>'
    const white = '<w:color w:val="FFFFFF"/>'
    const hidden = ['<w:vanish/>', '<w:sz w:val="1"/>', white].map((look) => run(look, 'EVIL')).join('')
    const seen = run('<w:vanish w:val="0"/>', 'a') + run(`${white}${dark}`, 'b') + run('<w:sz w:val="24"/>', 'c')
    const mark = '<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>'
    expect(read(`<w:p>${mark}${hidden}${seen}</w:p><w:p>${run('', 'd')}</w:p>`)).toBe('abc\n\nd')
    expect(read(`<w:p><w:pPr>${dark}</w:pPr>${run(white, 'shown')}</w:p><w:p>${run(white, 'EVIL')}</w:p>`)).toBe(
      'shown',
    )
    const cell = `<w:tc><w:p>${run(white, 'cell')}${run('<w:vanish/>', 'EVIL')}</w:p></w:tc>`
    expect(read(`<w:tbl><w:tr>${cell}</w:tr></w:tbl>`)).toBe('cell')
    expect(read(`${'<w:r>'.repeat(300_000)}<w:t>x`)).toBe('x')
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
