import { afterAll, describe, expect, it } from 'vitest'
import { shapeOf, titleIn, toBareText } from './html-text.ts'
import { PageReader } from './page-reader.ts'

/** Pages made to break a parser. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['nested elements', '<div>'.repeat(100_000)],
  ['a huge attribute', `<p title="${'x'.repeat(1_000_000)}">`],
  ['many attributes', `<p ${'a="b" '.repeat(200_000)}>`],
  ['unfinished tags', '<a '.repeat(100_000)],
  ['unfinished comments', '<!--'.repeat(100_000)],
  ['scripts without an end', '<script>'.repeat(100_000)],
  ['scripts within scripts', '<script></scrip'.repeat(100_000)],
  ['entities', '&amp;'.repeat(200_000)],
  ['angle brackets', '<'.repeat(1_000_000)],
  ['white space', ' \n'.repeat(500_000)],
]

const wrap = (body: string) => `<html><head><title>Hostile</title></head><body><p>before</p>${body}after</body></html>`

describe('without a tree, every page is read in linear time', () => {
  it.each(HOSTILE)('%s', (_name, body) => {
    const start = performance.now()
    const html = wrap(body)
    shapeOf(html)
    expect(toBareText(html)).toContain('before')
    expect(titleIn(html)).toBe('Hostile')
    // Linear work takes milliseconds here; quadratic work would take minutes.
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  it('counts how deep elements lie, not how many there are', () => {
    expect(shapeOf('<p>x'.repeat(1_000)).depth).toBe(0)
    expect(shapeOf('<div></div>'.repeat(1_000)).depth).toBe(1)
    expect(shapeOf('<div><section><b>').depth).toBe(3)
    expect(shapeOf('<!-- <div><div> --><script>"<div><div>"</script><br><img/>').depth).toBe(0)
  })

  it('shows text only, with entities decoded once', () => {
    const html =
      '<h1>A &amp;lt; B</h1><p>one<br>two</p><script>x()</script><style>y</style><!-- z --><p>&#65;&#x42;&#0;&bogus;</p>'
    expect(toBareText(html)).toBe('A &lt; B\n\none\ntwo\n\nAB\ufffd&bogus;')
  })
})

describe('in its process, a page has a deadline and a bound on memory', () => {
  const reader = new PageReader(1_000)
  afterAll(() => reader.close())

  it('one that is too deep comes as bare text, at once', async () => {
    const { simplified, markdown } = await reader.read(wrap('<div>'.repeat(100_000)), 'https://a.example/', false)
    expect(simplified).toBe(true)
    expect(markdown).toContain('before')
  })

  it('one with too many elements comes as bare text, at once', async () => {
    const { simplified } = await reader.read(wrap('<i></i>'.repeat(150_000)), 'https://a.example/', false)
    expect(simplified).toBe(true)
  })

  it('one that takes too long comes as bare text, and the next is read as ever', async () => {
    const hurried = new PageReader(1)
    const slow = await hurried.read(wrap('<p>word, <i>word</i></p>'.repeat(5_000)), 'https://a.example/', false)
    await hurried.close()
    expect(slow).toMatchObject({ simplified: true, title: 'Hostile' })
    const patient = new PageReader(30_000)
    try {
      const page = await patient.read(wrap('<h2>Fine</h2>'), 'https://a.example/', true)
      expect(page).toMatchObject({ simplified: false, markdown: expect.stringContaining('## Fine') })
    } finally {
      await patient.close()
    }
  })

  it('after it was closed, pages are still answered', async () => {
    const closed = new PageReader(1_000)
    await closed.close()
    expect(await closed.read(wrap(''), 'https://a.example/', false)).toMatchObject({ simplified: true })
  })
})
