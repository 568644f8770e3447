/** The tools that look at a site rather than a page: its rules for robots, its sitemap, and a small crawl. */

import { setTimeout as pause } from 'node:timers/promises'
import { createWildcard } from '@portico/sdk/internal'
import { type AskingContext, ToolError, tool } from '@portico/sdk/server'
import { toExcerpt } from '../text/cut.ts'
import { toForeignResult } from '../text/foreign-text.ts'
import { toPlainText } from '../text/plain-text.ts'
import type { Page } from './page.ts'
import { type PageFetcher, toUrl } from './page-fetcher.ts'
import { NOTICE_OUTPUT, principalOf, URL_INPUT } from './page-tools.ts'
import type { Robots } from './robots.ts'
import { readSitemap } from './sitemap.ts'

interface SiteToolOptions {
  readonly fetcher: PageFetcher
  readonly robots: Robots
  readonly maxPages: number
  readonly maxBytes: number
  /** Milliseconds between two pages of a crawl, where the site does not ask for more. */
  readonly crawlDelayMs: number
  readonly respectRobots: boolean
}

const READS = { readOnly: true, idempotent: true, openWorld: true } as const

export function createSiteTools(options: SiteToolOptions) {
  return { read_sitemap: sitemapTool(options), crawl: crawlTool(options), robots_for: robotsTool(options) }
}

function robotsTool({ robots, respectRobots }: SiteToolOptions) {
  return tool(
    {
      title: 'Rules for robots',
      description: 'Whether a site lets this server fetch an address, how fast, and where its sitemaps are',
      input: { type: 'object', properties: { url: URL_INPUT }, required: ['url'], additionalProperties: false },
      output: {
        type: 'object',
        properties: {
          url: { type: 'string', description: 'The address' },
          allowed: { type: 'boolean', description: 'Whether the site lets this server fetch it' },
          respected: { type: 'boolean', description: 'Whether this server keeps to it' },
          found: {
            type: 'string',
            enum: ['rules', 'none', 'unreachable'],
            description: 'Whether the site has rules, none, or could not be asked',
          },
          crawlDelay: { type: 'number', description: 'Seconds between requests that the site asks for' },
          sitemaps: { type: 'array', items: { type: 'string' }, description: 'Addresses for read_sitemap' },
        },
        required: ['url', 'allowed', 'respected', 'found', 'sitemaps'],
      },
      ...READS,
    },
    async ({ url: given }) => {
      const url = toUrl(given)
      const { crawlDelay, sitemaps, found, ...rules } = await robots.rulesFor(url)
      return {
        url: url.href,
        allowed: rules.isAllowed(url),
        respected: respectRobots,
        found,
        ...(crawlDelay !== undefined && { crawlDelay }),
        sitemaps: sitemaps.map(toPlainText),
      }
    },
  )
}

function sitemapTool({ fetcher, robots, maxBytes }: SiteToolOptions) {
  return tool(
    {
      title: 'Read a sitemap',
      description: 'The pages that a site lists in its sitemap. Takes the address of a sitemap, or of the site',
      input: {
        type: 'object',
        properties: {
          url: URL_INPUT,
          match: { type: 'string', maxLength: 200, description: 'Only addresses like this, with * for anything' },
          start: { type: 'integer', minimum: 0, default: 0, description: '"next" of the part before' },
          limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100, description: 'How many addresses' },
        },
        required: ['url'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          notice: NOTICE_OUTPUT,
          sitemap: { type: 'string', description: 'The sitemap that was read' },
          kind: { type: 'string', enum: ['pages', 'index'], description: 'An index lists further sitemaps to read' },
          total: { type: 'integer', description: 'How many addresses fit' },
          urls: { type: 'array', items: { type: 'string' }, description: 'The addresses' },
          next: { type: 'integer', description: 'There is more: "start" of the next part' },
        },
        required: ['notice', 'sitemap', 'kind', 'total', 'urls'],
      },
      ...READS,
    },
    async ({ url: given, match, start = 0, limit = 100 }, ctx) => {
      const place = await sitemapOf(toUrl(given), robots)
      const answer = await fetcher.download(place, ctx.signal)
      const sitemap = await readSitemap(answer.body, answer.url, { maxBytes, option: 'maxBytes' })
      const fitting = sitemap.urls.filter(createWildcard(`*${match ?? ''}*`, '*'))
      const urls = fitting.slice(start, start + limit)
      const end = start + urls.length
      const total = fitting.length
      const told = { sitemap: place.href, kind: sitemap.kind, total, urls, ...(end < total && { next: end }) }
      const what = sitemap.kind === 'index' ? 'sitemaps, each to be read in its turn' : 'pages'
      const after = end < total ? `${end - start} of ${total} ${what}; there is more: start ${end}` : `${total} ${what}`
      return toForeignResult(place.href, urls.join('\n') || 'Nothing is listed.', told, `[${after}]`)
    },
  )
}

/** The address itself if it looks like a sitemap, else what robots.txt names, else the usual place. */
async function sitemapOf(url: URL, robots: Robots): Promise<URL> {
  if (/\.(xml|txt)(\.gz)?$/i.test(url.pathname) && !/\/robots\.txt$/i.test(url.pathname)) return url
  const { sitemaps } = await robots.rulesFor(url)
  const named = sitemaps.find((place) => URL.canParse(place, url.href))
  return new URL(named ?? '/sitemap.xml', url)
}

/** No site can make this server wait longer between two pages. */
const MAX_DELAY_MS = 10_000

function crawlTool(options: SiteToolOptions) {
  return tool(
    {
      title: 'Crawl a site',
      description: `Follows the links of a page within its site, nearest first, and tells what is where (at most ${options.maxPages} pages). Read the pages with fetch_page`,
      input: {
        type: 'object',
        properties: {
          url: URL_INPUT,
          pages: { type: 'integer', minimum: 1, maximum: options.maxPages, description: 'How many pages' },
          match: { type: 'string', maxLength: 200, description: 'Only addresses like this, with * for anything' },
        },
        required: ['url'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          notice: NOTICE_OUTPUT,
          pages: {
            type: 'array',
            description: 'The pages, nearest first',
            items: {
              type: 'object',
              properties: {
                url: { type: 'string', description: 'Its address' },
                title: { type: 'string', description: 'Its title' },
                excerpt: { type: 'string', description: 'How it begins, or what it says it is about' },
                length: { type: 'integer', description: 'Its characters' },
              },
              required: ['url', 'title', 'excerpt', 'length'],
            },
          },
          failed: {
            type: 'array',
            description: 'What could not be fetched',
            items: {
              type: 'object',
              properties: {
                url: { type: 'string', description: 'Its address' },
                reason: { type: 'string', description: 'Why not' },
              },
              required: ['url', 'reason'],
            },
          },
          left: { type: 'integer', description: 'Addresses that were seen and not fetched' },
        },
        required: ['notice', 'pages', 'failed', 'left'],
      },
      ...READS,
    },
    async ({ url, pages = Math.min(10, options.maxPages), match }, ctx) => {
      const start = toUrl(url)
      const found = await crawl(options, { start, count: pages, match }, ctx)
      const shown = found.pages.map(({ url: at, title, excerpt }) => `${title || at}\n${at}\n${excerpt}`).join('\n\n')
      return toForeignResult(start.origin, shown || 'Nothing was found.', found, missingWords(found))
    },
  )
}

function missingWords({ failed, left }: { readonly failed: readonly unknown[]; readonly left: number }): string {
  const notes = [
    ...(failed.length > 0 ? [`${failed.length} could not be fetched`] : []),
    ...(left > 0 ? [`${left} more addresses were seen and not fetched`] : []),
  ]
  return notes.length === 0 ? '' : `[${notes.join('; ')}]`
}

async function crawl(
  options: SiteToolOptions,
  { start, count, match }: { readonly start: URL; readonly count: number; readonly match: string | undefined },
  ctx: AskingContext,
) {
  const { fetcher, robots } = options
  const { crawlDelay = 0 } = options.respectRobots ? await robots.rulesFor(start) : {}
  const delayMs = Math.min(MAX_DELAY_MS, Math.max(options.crawlDelayMs, crawlDelay * 1_000))
  const queue = [start.href]
  const seen = new Set(queue)
  const pages: { url: string; title: string; excerpt: string; length: number }[] = []
  const failed: { url: string; reason: string }[] = []
  const fits = createWildcard(`*${match ?? ''}*`, '*')
  const wanted = (url: string) => new URL(url).origin === start.origin && fits(url)
  // Attempts count, not successes: a site of broken links ends, too.
  for (let at = 0; at < queue.length && at < count && !ctx.signal.aborted; at++) {
    const url = queue[at] ?? ''
    if (at > 0 && delayMs > 0) await pause(delayMs, undefined, { signal: ctx.signal }).catch(() => {})
    ctx.progress(at, count, url)
    try {
      const page = await fetcher.open({ url, principal: principalOf(ctx), signal: ctx.signal })
      pages.push({ url, title: page.title, excerpt: excerptOf(page), length: page.markdown.length })
      for (const link of page.links) {
        const next = link.url.split('#', 1)[0] ?? link.url
        if (seen.size >= MAX_SEEN || seen.has(next) || !wanted(next)) continue
        seen.add(next)
        queue.push(next)
      }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      failed.push({ url, reason: error.message })
      if (at === 0) throw error
    }
  }
  return { pages, failed, left: Math.max(0, queue.length - pages.length - failed.length) }
}

const MAX_SEEN = 5_000

function excerptOf({ description, markdown }: Page): string {
  return toExcerpt(description !== '' ? description : markdown.replace(/\s+/g, ' ').trim(), 200)
}
