/**
 * What a site's robots.txt lets this server fetch (RFC 9309): looked up once per origin and hour. A site whose rules cannot
 * be had because it fails is left alone; one that has none is open.
 */

import { ToolError } from '@portico/sdk/server'
import robotsParser from 'robots-parser'
import { RefusedDestination } from '../network/destination.ts'
import type { GuardedFetch } from '../network/guarded-fetch.ts'
import { isUnknownName } from '../network/guarded-fetch.ts'

interface RobotsRules {
  isAllowed(url: URL): boolean
  /** Seconds between requests that the site asks for. */
  readonly crawlDelay: number | undefined
  readonly sitemaps: readonly string[]
  /** What was found: rules, none, or that the site could not be asked. */
  readonly found: 'rules' | 'none' | 'unreachable'
  /** Why it could not be asked. */
  readonly reason?: string
}

interface RobotsOptions {
  readonly fetch: GuardedFetch
  /** The name that rules are looked up under, and by which this server calls itself. */
  readonly agent: string
}

export class Robots {
  readonly #options: RobotsOptions
  readonly #known = new Map<string, { readonly rules: Promise<RobotsRules>; readonly until: number }>()

  constructor(options: RobotsOptions) {
    this.#options = options
  }

  rulesFor(url: URL): Promise<RobotsRules> {
    const known = this.#known.get(url.origin)
    if (known !== undefined && known.until > Date.now()) return known.rules
    const rules = this.#load(url)
    this.#known.delete(url.origin)
    this.#known.set(url.origin, { rules, until: Date.now() + KEEP_MS })
    // What could not be asked for is not remembered.
    const forget = (): void => {
      if (this.#known.get(url.origin)?.rules === rules) this.#known.delete(url.origin)
    }
    rules.then(({ found }) => found === 'unreachable' && forget(), forget)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_ORIGINS && oldest !== undefined) this.#known.delete(oldest)
    return rules
  }

  async #load(url: URL): Promise<RobotsRules> {
    const place = new URL('/robots.txt', url)
    try {
      const { status, body } = await this.#options.fetch(place, { redirects: 'follow', maxBytes: MAX_BYTES })
      if (status >= 200 && status < 300) {
        return parseRobots(place, new TextDecoder().decode(body), this.#options.agent)
      }
      return status >= 500 ? unreachable(`${url.host} answered HTTP ${status}`) : OPEN
    } catch (error) {
      // That the address itself is refused, or that nobody knows it, is for the caller to hear.
      if (error instanceof RefusedDestination || isUnknownName(error)) throw error
      return unreachable(error instanceof ToolError ? error.message.replace(/\.$/, '') : `${url.host} failed`)
    }
  }
}

function parseRobots(place: URL, text: string, agent: string): RobotsRules {
  const parsed = parseRules(place.href, toLines(text))
  const delay = parsed.getCrawlDelay(agent)
  return {
    isAllowed: (url) => parsed.isAllowed(withoutFragment(url), agent) ?? true,
    crawlDelay: typeof delay === 'number' && delay >= 0 ? delay : undefined,
    sitemaps: parsed.getSitemaps().slice(0, 100),
    found: 'rules',
  }
}

interface ParsedRules {
  isAllowed(url: string, agent: string): boolean | undefined
  getCrawlDelay(agent: string): number | undefined
  getSitemaps(): string[]
}

// The library's types describe a default export within the module; at run time the module is the function.
const parseRules = robotsParser as unknown as (place: string, text: string) => ParsedRules

const KEEP_MS = 3_600_000
const MAX_ORIGINS = 200
const MAX_BYTES = 512_000
const MAX_LINES = 10_000
/** Rules with a star cost time in proportion to the address; the others cost next to nothing. */
const MAX_STARRED = 32_000

const OPEN: RobotsRules = { isAllowed: () => true, crawlDelay: undefined, sitemaps: [], found: 'none' }

function unreachable(reason: string): RobotsRules {
  return { isAllowed: () => false, crawlDelay: undefined, sitemaps: [], found: 'unreachable', reason }
}

/** Only lines that say something. Beyond what can be matched quickly, a rule with stars counts up to the first of them. */
function toLines(text: string): string {
  let starred = 0
  const lines: string[] = []
  for (const line of text.slice(0, MAX_BYTES).split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] =
      /^\s*(user-agent|allow|disallow|crawl-delay|sitemap)\s*:(.{0,1000})/i.exec(line) ?? []
    if (name === '') continue
    const rule = value.replace(/\*{2,}/g, '*')
    const isStarred = rule.includes('*') && /allow$/i.test(name)
    if (isStarred) starred += rule.length
    const isTooMuch = isStarred && starred > MAX_STARRED
    // Cut short, a rule covers more: right for what is not allowed, wrong for what is.
    if (isTooMuch && /^allow$/i.test(name)) continue
    lines.push(`${name}:${isTooMuch ? rule.slice(0, rule.indexOf('*')) : rule}`)
    if (lines.length === MAX_LINES) break
  }
  return lines.join('\n')
}

function withoutFragment(url: URL): string {
  return url.href.split('#', 1)[0] ?? url.href
}
