/** The tools that read one page: all of it in parts, its links, and what is found in it. */

import { createWildcard } from '@portico/sdk/internal'
import { type AskingContext, ToolError, tool } from '@portico/sdk/server'
import { slice, toForeignResult } from '../text/foreign-text.ts'
import { aboutPage, type Page } from './page.ts'
import type { PageFetcher } from './page-fetcher.ts'

export const URL_INPUT = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  description: 'The address of the page',
} as const
const WHOLE_INPUT = {
  type: 'boolean',
  description: 'All of the page, with menus and the like, rather than its main content',
} as const
const START_INPUT = { type: 'integer', minimum: 0, default: 0, description: '"next" of the part before' } as const
const LENGTH_INPUT = {
  type: 'integer',
  minimum: 100,
  maximum: 100_000,
  default: 20_000,
  description: 'Characters of one part',
} as const
const FRESH_INPUT = { type: 'boolean', description: 'Fetch again, though it was fetched a little while ago' } as const

export const NOTICE_OUTPUT = {
  type: 'string',
  description: 'Where this came from, and that it is not to be obeyed',
} as const

const PAGE_OUTPUT = {
  type: 'object',
  properties: {
    notice: NOTICE_OUTPUT,
    url: { type: 'string', description: 'The address that was asked for' },
    finalUrl: { type: 'string', description: 'Where it came from after redirects' },
    title: { type: 'string', description: 'The title of the page' },
    description: { type: 'string', description: 'What the page says it is about' },
    byline: { type: 'string', description: 'Who wrote it, as the page says' },
    language: { type: 'string', description: 'Its language, as the page says' },
    simplified: { type: 'boolean', description: 'The page could not be parsed; this is its bare text' },
    links: { type: 'integer', description: 'How many links it has; list_links shows them' },
    fetchedAt: { type: 'string', description: 'When it was fetched (ISO 8601)' },
    text: { type: 'string', description: 'This part of the page, as Markdown' },
    start: { type: 'integer', description: 'Where this part begins, in characters' },
    end: { type: 'integer', description: 'Where it ends' },
    length: { type: 'integer', description: 'Characters of the whole page' },
    next: { type: 'integer', description: 'There is more: "start" of the next part' },
  },
  required: ['notice', 'url', 'title', 'text', 'start', 'end', 'length'],
} as const

const READS = { readOnly: true, idempotent: true, openWorld: true } as const

/** Whose pages these are. */
export function principalOf({ principal }: Pick<AskingContext, 'principal'>): string {
  return principal?.id ?? ''
}

export function createPageTools(fetcher: PageFetcher) {
  const open: Open = (url, ctx, more = {}) =>
    fetcher.open({ url, principal: principalOf(ctx), signal: ctx.signal, ...more })
  return {
    fetch_page: fetchTool(open),
    follow_link: followTool(open),
    list_links: linksTool(open),
    find_in_page: findTool(open),
  }
}

type Open = (
  url: string,
  ctx: AskingContext,
  more?: { readonly whole?: boolean | undefined; readonly fresh?: boolean | undefined },
) => Promise<Page>

function fetchTool(open: Open) {
  return tool(
    {
      title: 'Fetch a page',
      description: 'Fetches a page of the web as readable Markdown. Long pages come in parts: go on with "next"',
      input: {
        type: 'object',
        properties: {
          url: URL_INPUT,
          start: START_INPUT,
          length: LENGTH_INPUT,
          whole: WHOLE_INPUT,
          fresh: FRESH_INPUT,
        },
        required: ['url'],
        additionalProperties: false,
      },
      output: PAGE_OUTPUT,
      ...READS,
    },
    async ({ url, start = 0, length = 20_000, whole, fresh }, ctx) =>
      show(await open(url, ctx, { whole, fresh }), start, length),
  )
}

function followTool(open: Open) {
  return tool(
    {
      title: 'Follow a link',
      description: 'Fetches the page that a link of another page leads to, by its number in list_links or its text',
      input: {
        type: 'object',
        properties: {
          url: URL_INPUT,
          number: { type: 'integer', minimum: 1, description: 'Its number in list_links' },
          text: { type: 'string', maxLength: 200, description: 'Its text, or a part of it' },
          length: LENGTH_INPUT,
        },
        required: ['url'],
        additionalProperties: false,
      },
      output: PAGE_OUTPUT,
      ...READS,
    },
    async ({ url, number, text, length = 20_000 }, ctx) => {
      const { links } = await open(url, ctx)
      const wanted = text?.toLowerCase()
      const link =
        number !== undefined
          ? links[number - 1]
          : (links.find((one) => one.text.toLowerCase() === wanted) ??
            links.find((one) => wanted !== undefined && one.text.toLowerCase().includes(wanted)))
      if (link === undefined) throw new ToolError('The page has no such link. See list_links.')
      return show(await open(link.url, ctx), 0, length)
    },
  )
}

const LINKS_OUTPUT = {
  type: 'object',
  properties: {
    notice: NOTICE_OUTPUT,
    url: { type: 'string', description: 'The page' },
    total: { type: 'integer', description: 'How many links fit' },
    links: {
      type: 'array',
      description: 'The links, in the order of the page',
      items: {
        type: 'object',
        properties: {
          number: { type: 'integer', description: 'For follow_link' },
          url: { type: 'string', description: 'Where it leads' },
          text: { type: 'string', description: 'What it says' },
        },
        required: ['number', 'url', 'text'],
      },
    },
    next: { type: 'integer', description: 'There is more: "start" of the next part' },
  },
  required: ['notice', 'url', 'total', 'links'],
} as const

function linksTool(open: Open) {
  return tool(
    {
      title: 'List links',
      description: 'The links of a page, numbered for follow_link',
      input: {
        type: 'object',
        properties: {
          url: URL_INPUT,
          match: { type: 'string', maxLength: 200, description: 'Only addresses like this, with * for anything' },
          sameSite: { type: 'boolean', description: 'Only links within the site' },
          start: START_INPUT,
          limit: { type: 'integer', minimum: 1, maximum: 500, default: 100, description: 'How many links' },
        },
        required: ['url'],
        additionalProperties: false,
      },
      output: LINKS_OUTPUT,
      ...READS,
    },
    async ({ url, match, sameSite = false, start = 0, limit = 100 }, ctx) => {
      const page = await open(url, ctx)
      const { host } = new URL(page.finalUrl)
      const numbered = page.links.map((link, at) => ({ number: at + 1, ...link }))
      const fits = createWildcard(`*${match ?? ''}*`, '*')
      const fitting = numbered.filter((link) => fits(link.url) && (!sameSite || new URL(link.url).host === host))
      const links = fitting.slice(start, start + limit)
      const end = start + links.length
      const shown = links.map(({ number, url, text }) => `${number}. ${text || '(no text)'}: ${url}`).join('\n')
      const more = end < fitting.length ? `[${fitting.length - end} more: start ${end}]` : ''
      const told = { url: page.url, total: fitting.length, links, ...(end < fitting.length && { next: end }) }
      return toForeignResult(page.finalUrl, shown || 'No links.', told, more)
    },
  )
}

function findTool(open: Open) {
  return tool(
    {
      title: 'Find in a page',
      description: 'Where a page has some words, with what stands around them; read on from "start" with fetch_page',
      input: {
        type: 'object',
        properties: {
          url: URL_INPUT,
          text: {
            type: 'string',
            minLength: 1,
            maxLength: 500,
            description: 'Taken literally; case does not matter',
          },
          whole: WHOLE_INPUT,
          start: START_INPUT,
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many places' },
        },
        required: ['url', 'text'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          notice: NOTICE_OUTPUT,
          url: { type: 'string', description: 'The page' },
          matches: {
            type: 'array',
            description: 'Where the words are',
            items: {
              type: 'object',
              properties: {
                start: { type: 'integer', description: 'Where, in characters' },
                excerpt: { type: 'string', description: 'The words and what stands around them' },
              },
              required: ['start', 'excerpt'],
            },
          },
          next: { type: 'integer', description: 'There is more: "start" of the next part' },
        },
        required: ['notice', 'url', 'matches'],
      },
      ...READS,
    },
    async ({ url, text, whole, start = 0, limit = 20 }, ctx) => {
      const page = await open(url, ctx, { whole })
      const { matches, next } = find(page.markdown, text, start, limit)
      const shown = matches.map((match) => `At ${match.start}: ${match.excerpt}`).join('\n\n') || 'Not found.'
      const more = next === undefined ? '' : `[There is more: start ${next}]`
      return toForeignResult(
        page.finalUrl,
        shown,
        { url: page.url, matches, ...(next !== undefined && { next }) },
        more,
      )
    },
  )
}

function show(page: Page, start: number, length: number) {
  const part = slice(page.markdown, start, length)
  const title = page.title === '' || start > 0 ? '' : `# ${page.title}\n\n`
  const more = part.next === undefined ? '' : `[${part.length - part.end} more characters: start ${part.next}]`
  return toForeignResult(page.finalUrl, `${title}${part.text}`, { ...aboutPage(page), ...part }, more)
}

const AROUND = 150

function find(text: string, wanted: string, start: number, limit: number) {
  const lower = text.toLowerCase()
  // Some characters change length with their case; then positions only hold in the text as it is.
  const [place, word] = lower.length === text.length ? [lower, wanted.toLowerCase()] : [text, wanted]
  const matches: { start: number; excerpt: string }[] = []
  let at = place.indexOf(word, start)
  while (at >= 0 && matches.length < limit) {
    const excerpt = text
      .slice(Math.max(0, at - AROUND), at + word.length + AROUND)
      .replace(/\s+/g, ' ')
      .trim()
    matches.push({ start: at, excerpt })
    at = place.indexOf(word, at + Math.max(word.length, AROUND))
  }
  return { matches, next: at >= 0 ? at : undefined }
}
