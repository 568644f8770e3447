/**
 * The process in which pages are parsed: HTML in, readable Markdown and links out. It runs alone because a page may be made
 * to take for ever or to fill the memory, which would end every thread of a process; `page-reader.ts` ends this one instead.
 */

import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { removeUnseen } from '../text/unseen.ts'
import { type Extract, type PageLink, toBareExtract } from './extract.ts'
import type { PageJob } from './page-reader.ts'

/** The library's own types; those of browsers are not at hand here. */
type Document = ReturnType<typeof parseHTML>['document']

const MAX_LINKS = 2_000
/** Words for those who cannot see a picture, which those who can do not see. */
const MAX_ALT = 200

process.on('message', (job: PageJob) => process.send?.({ id: job.id, extract: extract(job) }))
// Whoever asked is gone.
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })

function extract({ html, url, whole }: PageJob): Extract {
  try {
    const document = open(html)
    const links = prepare(document, baseOf(document, url))
    const about = describe(document)
    const article = whole ? null : new Readability(document, { charThreshold: 200, maxElemsToParse: 200_000 }).parse()
    const content = article?.content
    const isArticle = content !== null && content !== undefined && (article?.textContent ?? '').trim().length >= 200
    const body = isArticle ? open(`<body>${content}</body>`).body : opened(html, url).body
    return {
      title: article?.title || about.title,
      ...(about.description !== '' && { description: about.description }),
      ...(article?.byline && { byline: article.byline.slice(0, 200) }),
      ...(about.language !== '' && { language: about.language }),
      markdown: toMarkdown(body),
      links,
      simplified: false,
    }
  } catch {
    // Parsers of this kind call themselves for every level, and run out of stack before they run out of time.
    return toBareExtract(html)
  }
}

function open(html: string): Document {
  const bare = html.replace(/^\s*<!doctype[^<>]{0,500}>/i, '')
  // Without it, the first element of a fragment would be taken for the whole document.
  const whole = /<html[\s>]/i.test(bare.slice(0, 10_000)) ? bare : `<html>${bare}</html>`
  const { document } = parseHTML(`<!doctype html>${whole}`)
  settle(document)
  return document
}

/** Puts head and body where the library expects them: HTML lets their tags be left out, and browsers add them. */
function settle(document: Document): void {
  const root = document.documentElement
  const nodes = [...root.childNodes]
  const named = (name: string) => nodes.find(({ nodeName }) => nodeName.toUpperCase() === name)
  const head = named('HEAD') ?? document.createElement('head')
  const body = named('BODY') ?? document.createElement('body')
  let inHead = true
  for (const node of nodes) {
    if (node === head || node === body) continue
    const isText = node.nodeType === TEXT
    inHead &&= HEAD_ELEMENTS.has(node.nodeName.toUpperCase()) || (isText && (node.textContent ?? '').trim() === '')
    const place = inHead ? head : body
    place.appendChild(node)
  }
  // What stands behind the end of the document is shown by browsers, too.
  for (const node of [...document.childNodes]) {
    if (node !== root && (node.nodeType === ELEMENT || node.nodeType === TEXT)) body.appendChild(node)
  }
  root.appendChild(head)
  root.appendChild(body)
}

const ELEMENT = 1
const TEXT = 3
const HEAD_ELEMENTS = new Set(['TITLE', 'META', 'LINK', 'BASE', 'STYLE', 'SCRIPT', '#COMMENT'])

function opened(html: string, url: string): Document {
  const document = open(html)
  prepare(document, baseOf(document, url))
  return document
}

function baseOf(document: Document, url: string): string {
  const named = document.querySelector('base[href]')?.getAttribute('href') ?? ''
  return URL.canParse(named, url) && isWeb(new URL(named, url)) ? new URL(named, url).href : url
}

/** Takes out what a reader would not see, makes addresses absolute, and lists the links. */
function prepare(document: Document, base: string): PageLink[] {
  removeUnseen(document)
  const links: PageLink[] = []
  for (const anchor of [...document.querySelectorAll('a[href]')]) {
    const target = absolute(anchor.getAttribute('href') ?? '', base)
    if (target === undefined) {
      anchor.removeAttribute('href')
      continue
    }
    anchor.setAttribute('href', target)
    const text = (anchor.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 200)
    if (links.length < MAX_LINKS) links.push({ url: target, text })
  }
  for (const image of [...document.querySelectorAll('img')]) {
    const source = absolute(image.getAttribute('src') ?? '', base)
    if (source === undefined) image.remove()
    else image.setAttribute('src', source)
    image.setAttribute('alt', (image.getAttribute('alt') ?? '').slice(0, MAX_ALT))
  }
  return unique(links)
}

function absolute(href: string, base: string): string | undefined {
  if (href.length > 2_048 || !URL.canParse(href, base)) return undefined
  const url = new URL(href, base)
  return isWeb(url) && url.username === '' && url.password === '' ? url.href : undefined
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:'
}

function unique(links: readonly PageLink[]): PageLink[] {
  const seen = new Map<string, PageLink>()
  for (const link of links) {
    const known = seen.get(link.url)
    if (known === undefined || known.text === '') seen.set(link.url, link)
  }
  return [...seen.values()]
}

function describe(document: Document): { title: string; description: string; language: string } {
  const description = document.querySelector('meta[name="description"]')?.getAttribute('content') ?? ''
  return {
    title: (document.title ?? '').trim().slice(0, 500),
    description: description.trim().slice(0, 1_000),
    language: (document.documentElement?.getAttribute('lang') ?? '').slice(0, 35),
  }
}

const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
turndown.addRule('cell', {
  filter: ['th', 'td'],
  replacement: (content) => ` ${content.replace(/\s+/g, ' ').trim()} |`,
})
turndown.addRule('row', {
  filter: 'tr',
  replacement(content, node) {
    const cells = [...(node.childNodes ?? [])].filter(({ nodeName }) => /^t[hd]$/i.test(nodeName))
    const isHead = cells.length > 0 && cells.every(({ nodeName }) => /^th$/i.test(nodeName))
    return `\n|${content}${isHead ? `\n|${' --- |'.repeat(cells.length)}` : ''}`
  },
})
turndown.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` })

function toMarkdown(body: Document['body']): string {
  // Both are the same DOM; the library's types are those of browsers.
  return turndown
    .turndown(body as unknown as TurndownService.Node)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
