/**
 * Fetches a page as a reader would want it: allowed by the operator's host lists and the site's robots rules, decoded,
 * parsed in its own process, and cleaned of what cannot be seen. The tools are thin around it.
 */

import { ToolError } from '@portico/sdk/server'
import type { Extractor } from '../documents/extract.ts'
import type { GuardedFetch, NetworkResponse } from '../network/guarded-fetch.ts'
import { toPlainText } from '../text/plain-text.ts'
import type { Extract } from './extract.ts'
import type { Page } from './page.ts'
import type { PageReader } from './page-reader.ts'
import type { Robots } from './robots.ts'
import { decodePage } from './text-encoding.ts'
import type { Visits } from './visits.ts'

interface FetcherParts {
  readonly fetch: GuardedFetch
  readonly reader: PageReader
  /** Reads what is no page but a document. */
  readonly documents: Extractor
  readonly robots: Robots
  readonly visits: Visits
  readonly respectRobots: boolean
  /** Told of a page whose contents are new. */
  readonly onChange: (page: Page) => void
}

interface Wish {
  readonly url: string
  readonly principal: string
  readonly signal: AbortSignal
  readonly whole?: boolean | undefined
  /** Fetches again what is still kept. */
  readonly fresh?: boolean | undefined
}

export class PageFetcher {
  readonly #parts: FetcherParts

  constructor(parts: FetcherParts) {
    this.#parts = parts
  }

  async open({ url: given, principal, signal, whole = false, fresh = false }: Wish): Promise<Page> {
    const url = toUrl(given)
    const { visits, onChange } = this.#parts
    const known = fresh ? undefined : visits.find(principal, url.href, whole)
    if (known !== undefined) return known
    const answer = await this.download(url, signal)
    const page = await this.#toPage(url, answer, whole)
    if (visits.keep(principal, page)) onChange(page)
    return page
  }

  /** The bytes behind an address, if its site lets this server have them. */
  async download(url: URL, signal: AbortSignal): Promise<NetworkResponse> {
    await this.#askRobots(url)
    const answer = await this.#parts.fetch(url, { redirects: 'follow', headers: { accept: ACCEPTED }, signal })
    // Another site may have been reached, with rules of its own.
    if (answer.url.href !== url.href) await this.#askRobots(answer.url)
    if (answer.status >= 400) {
      throw new ToolError(`${url.host} answered HTTP ${answer.status}. ${ADVICE[answer.status] ?? 'Try another page.'}`)
    }
    return answer
  }

  async #askRobots(url: URL): Promise<void> {
    const { robots, respectRobots } = this.#parts
    if (!respectRobots) return
    const rules = await robots.rulesFor(url)
    if (rules.isAllowed(url)) return
    throw new ToolError(
      rules.found === 'unreachable'
        ? `${rules.reason}. Pages of a site whose rules for robots cannot be read are left alone. Check the address, or try later.`
        : `${url.host} asks robots not to fetch this page (its robots.txt), and it was not fetched. The operator can set respectRobots to false.`,
    )
  }

  async #toPage(url: URL, answer: NetworkResponse, whole: boolean): Promise<Page> {
    const type = (answer.header('content-type') ?? '').toLowerCase()
    const contentType = type.split(';', 1)[0]?.trim() ?? ''
    const extract = (await this.#fromDocument(contentType, answer)) ?? (await this.#fromPage(type, answer, whole))
    return {
      url: url.href,
      finalUrl: answer.url.href,
      title: oneLine(extract.title),
      description: oneLine(extract.description ?? ''),
      byline: oneLine(extract.byline ?? ''),
      language: oneLine(extract.language ?? ''),
      contentType,
      markdown: toPlainText(extract.markdown),
      links: extract.links.map(({ url, text }) => ({ url, text: oneLine(text) })),
      simplified: extract.simplified,
      whole,
      fetchedAt: new Date().toISOString(),
    }
  }

  /** The text of a document, where it is one by its type, or by its name where the type says nothing. */
  async #fromDocument(contentType: string, { body, url }: NetworkResponse): Promise<Extract | undefined> {
    const isVague = contentType === '' || contentType === 'application/octet-stream'
    const extension = isVague ? /\.(?:pdf|docx)$/i.exec(url.pathname)?.[0] : undefined
    const name = DOCUMENTS.get(contentType) ?? (extension && `document${extension}`)
    if (name === undefined) return undefined
    try {
      // The library that reads PDF refuses a Buffer.
      const { text, title = '' } = await this.#parts.documents.extract(name, new Uint8Array(body))
      return { title, markdown: text, links: [], simplified: false }
    } catch (error) {
      throw new ToolError(`That document cannot be read: ${(error as Error).message}.`, { cause: error })
    }
  }

  async #fromPage(type: string, { body, url }: NetworkResponse, whole: boolean): Promise<Extract> {
    const contentType = type.split(';', 1)[0]?.trim() ?? ''
    // Cleaned before it is parsed, since Markdown would tear sequences apart, and after, since HTML can spell them.
    const text = isText(contentType) ? toPlainText(decodePage(body, type)) : undefined
    if (text === undefined) {
      throw new ToolError(`That is ${toPlainText(contentType).slice(0, 60) || 'no text'}, which is not read here.`)
    }
    const isHtml = /html/.test(contentType) || (contentType === '' && /<(?:!doctype|html)/i.test(text.slice(0, 1_000)))
    return isHtml ? this.#parts.reader.read(text, url.href, whole) : fromText(text)
  }
}

/** What is read as a document, by its media type: a name that says how. */
const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'document.pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document.docx'],
])

/** An address as a person may have typed it. */
export function toUrl(text: string): URL {
  const trimmed = text.trim()
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(trimmed) && !/^[\w.-]+:\d/.test(trimmed)
  const full = hasScheme ? trimmed : `https://${trimmed}`
  if (!URL.canParse(full)) throw new ToolError('That is not an address. Give one like https://example.com/page.')
  const url = new URL(full)
  if (!/^https?:$/.test(url.protocol)) throw new ToolError('Only http and https addresses are fetched.')
  url.hash = ''
  return url
}

const ACCEPTED =
  'text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.8, application/pdf;q=0.8, */*;q=0.1'

const ADVICE: { readonly [status: number]: string } = {
  401: 'The page wants a sign-in, which this server does not do.',
  403: 'The site does not show this page to this server.',
  404: 'There is no such page.',
  429: 'The site asks for fewer requests. Wait before the next one.',
}

function isText(type: string): boolean {
  return type === '' || /^text\/|html|[/+](json|xml|yaml)$|javascript|x-ndjson/.test(type)
}

function fromText(text: string): Extract {
  return { title: '', markdown: text, links: [], simplified: false }
}

function oneLine(text: string): string {
  return toPlainText(text).replace(/\s+/g, ' ').trim()
}
