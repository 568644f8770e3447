/**
 * Reads HTML without building a tree, in one pass: its shape, and its bare text. For pages that are made to
 * break a parser, or that a parser could not finish in time; `page-process.ts` handles the others.
 */

interface Shape {
  /** An upper estimate of how deep elements lie in one another. */
  readonly depth: number
  readonly tags: number
}

export function shapeOf(html: string): Shape {
  let depth = 0
  let deepest = 0
  let tags = 0
  for (const tag of tagsOf(html)) {
    tags++
    if (tag.closing) depth = Math.max(0, depth - 1)
    else if (!tag.selfClosing && !SHALLOW.has(tag.name)) deepest = Math.max(deepest, ++depth)
  }
  return { depth: deepest, tags }
}

/** The text between the tags, with lines where blocks end. */
export function toBareText(html: string): string {
  const parts: string[] = []
  let at = 0
  for (const tag of tagsOf(html)) {
    if (tag.start > at) parts.push(html.slice(at, tag.start))
    if (BLOCKS.has(tag.name)) parts.push('\n')
    at = tag.end
  }
  parts.push(html.slice(at))
  return decodeEntities(parts.join(''))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

export function titleIn(html: string): string {
  const [, title = ''] = /<title[^<>]{0,200}>([^<]{0,500})/i.exec(html.slice(0, 100_000)) ?? []
  return decodeEntities(title).trim()
}

/** The five of XML, the commonest of HTML, and numbers. Decoded once: what comes out is text. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
  })
}

interface Tag {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly closing: boolean
  readonly selfClosing: boolean
}

const ENTITIES: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
}

/** Elements without content, and those that end when the next of their kind begins. */
const SHALLOW = new Set(
  'area base br col embed hr img input link meta param source track wbr p li dt dd option tr td th thead tbody tfoot'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  'p div br li ul ol tr table h1 h2 h3 h4 h5 h6 section article header footer main nav aside pre blockquote title dt dd hr'.split(
    ' ',
  ),
)
/** What is between these is no text. */
const OPAQUE = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'textarea', 'xmp'])

/** Every step moves forward by what it has looked at, so that the whole takes linear time. */
function* tagsOf(html: string): Generator<Tag> {
  const lower = html.toLowerCase()
  let at = 0
  for (;;) {
    const start = html.indexOf('<', at)
    if (start < 0) return
    if (html.startsWith('<!--', start)) {
      const close = html.indexOf('-->', start + 4)
      const end = close < 0 ? html.length : close + 3
      yield { name: '!--', start, end, closing: false, selfClosing: true }
      at = end
      continue
    }
    const [match, slash = '', name = ''] =
      /^<(\/?)([a-z!?][a-z0-9:-]{0,40})/i.exec(lower.slice(start, start + 48)) ?? []
    if (match === undefined) {
      at = start + 1
      continue
    }
    const close = html.indexOf('>', start)
    if (close < 0) return
    let end = close + 1
    if (slash === '' && OPAQUE.has(name) && html[close - 1] !== '/') {
      const inner = lower.indexOf(`</${name}`, end)
      const last = inner < 0 ? -1 : html.indexOf('>', inner)
      end = last < 0 ? html.length : last + 1
      yield { name, start, end, closing: false, selfClosing: true }
    } else {
      yield { name, start, end, closing: slash !== '', selfClosing: html[close - 1] === '/' || /^[!?]/.test(name) }
    }
    at = end
  }
}
