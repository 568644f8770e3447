/** The tools that go to pages and look at them. */

import { setTimeout as pause } from 'node:timers/promises'
import { result, ToolError, text, tool } from '@portico/sdk/server'
import { notice, toForeignResult, UNTRUSTED } from '../text/foreign-text.ts'
import { toPlainText } from '../text/plain-text.ts'
import { about, attempt, nameOf, onTab, readTab, type StepParts, settle, takePicture, toPageResult } from './steps.ts'
import type { Tab } from './tab.ts'
import { PAGE, READ, TAB, TABS } from './tool-schemas.ts'

const LOOKING = { readOnly: true, openWorld: true } as const

export function createReadTools(parts: StepParts) {
  return {
    navigate: createNavigate(parts),
    read_page: createReadPage(parts),
    screenshot: createScreenshot(parts),
    back: createBack(parts),
    scroll: createScroll(parts),
    tabs: createTabs(parts),
  }
}

const FIRST_LENGTH = 6_000

function createNavigate(parts: StepParts) {
  return tool(
    {
      title: 'Navigate',
      description: 'Open a public web address and read the beginning of the page as an outline.',
      input: {
        type: 'object',
        properties: {
          url: { type: 'string', minLength: 1, maxLength: 4_000, description: 'https://…' },
          newTab: { type: 'boolean', description: 'In a tab of its own' },
          tab: TAB,
        },
        required: ['url'],
        additionalProperties: false,
      },
      output: READ,
      readOnly: false,
      destructive: false,
      openWorld: true,
    },
    async ({ url, newTab = false, tab: id }, ctx) => {
      const target = URL.canParse(url) ? new URL(url) : undefined
      if (target?.protocol !== 'https:' && target?.protocol !== 'http:') {
        throw new ToolError('That is not an absolute http or https address. Files and other schemes are not opened.')
      }
      const { profiles, limits } = parts
      profiles.judge(target)
      const tab = await profiles.use(ctx.principal, async (profile) => {
        const given = id === undefined ? profile.current : profile.tabs.get(id)
        if (id !== undefined && given === undefined) throw new ToolError(`There is no tab ${id}. Use tabs.`)
        const chosen = newTab || given === undefined ? await profiles.open(profile) : given
        profile.current = chosen
        return chosen
      })
      return attempt({ limits, ctx, tab }, async () => {
        tab.maySubmit = false
        const response = await go(tab, target, ctx.signal).catch((error: unknown) => {
          const refusal = profiles.refusalOf(target.host)
          throw refusal === undefined ? error : new ToolError(refusal, { cause: error })
        })
        await settle(tab, ctx, limits)
        const part = await readTab(tab, { as: 'outline', start: 0, length: FIRST_LENGTH }, ctx.signal)
        return toPageResult(await about(tab, response?.status()), part)
      })
    },
  )
}

const DOWNLOAD_MS = 2_000

/** An address that is a file rather than a page is told as such, with the name that it would have. */
async function go(tab: Tab, target: URL, signal: AbortSignal) {
  const { page } = tab
  let heard = (): void => {}
  const offered = new Promise<void>((done) => {
    heard = done
  })
  page.once('download', heard)
  try {
    return await page.goto(target.href, { waitUntil: 'domcontentloaded', signal })
  } catch (error) {
    if (!(error instanceof Error) || !/Download is starting|net::ERR_ABORTED/.test(error.message)) throw error
    await Promise.race([offered, pause(DOWNLOAD_MS, undefined, { ref: false })])
    const told = tab.takeNotices()
    if (told.length === 0) throw error
    throw new ToolError(`${toPlainText(target.href)} is no page. ${told.join(' ')}`, { cause: error })
  } finally {
    page.off('download', heard)
  }
}

function createReadPage(parts: StepParts) {
  return tool(
    {
      title: 'Read the page',
      description:
        'Read the page as it is now: as an outline with references such as [ref=e12] for click and type_text, or as text.',
      input: {
        type: 'object',
        properties: {
          as: { type: 'string', enum: ['outline', 'text'], description: 'outline unless given' },
          start: { type: 'integer', minimum: 0, description: 'Where to begin; next of the part before' },
          length: { type: 'integer', minimum: 100, maximum: 100_000, description: 'Characters; 20,000 unless given' },
          tab: TAB,
        },
        additionalProperties: false,
      },
      output: READ,
      ...LOOKING,
    },
    ({ as = 'outline', start = 0, length = 20_000, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const part = await readTab(tab, { as, start, length }, ctx.signal)
        return toPageResult(await about(tab), part)
      }),
  )
}

function createScreenshot(parts: StepParts) {
  return tool(
    {
      title: 'Screenshot',
      description: 'A picture of the page: what is in view, or all of it.',
      input: {
        type: 'object',
        properties: { whole: { type: 'boolean', description: 'All of the page' }, tab: TAB },
        additionalProperties: false,
      },
      ...LOOKING,
    },
    ({ whole = false, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const picture = await takePicture(tab, { whole, signal: ctx.signal }, parts.limits)
        const url = tab.page.url()
        return result({
          content: [text(notice(url)), { type: 'image', data: picture.toString('base64'), mimeType: 'image/jpeg' }],
          _meta: UNTRUSTED,
        })
      }),
  )
}

function createBack(parts: StepParts) {
  return tool(
    {
      title: 'Back',
      description: 'Go back to the page before.',
      input: { type: 'object', properties: { tab: TAB }, additionalProperties: false },
      output: PAGE,
      readOnly: false,
      destructive: false,
      openWorld: true,
    },
    ({ tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        tab.maySubmit = false
        const went = await tab.page.goBack({ waitUntil: 'domcontentloaded', signal: ctx.signal })
        if (went === null && tab.page.url() === 'about:blank') throw new ToolError('There is no page before this one.')
        return toPageResult(await about(tab))
      }),
  )
}

function createScroll(parts: StepParts) {
  return tool(
    {
      title: 'Scroll',
      description: 'Scroll the page by screens: down with positive numbers, up with negative ones.',
      input: {
        type: 'object',
        properties: { screens: { type: 'number', minimum: -50, maximum: 50, description: '1 unless given' }, tab: TAB },
        additionalProperties: false,
      },
      output: PAGE,
      ...LOOKING,
    },
    ({ screens = 1, tab: id }, ctx) =>
      onTab(parts, ctx, id, async (tab) => {
        const height = tab.page.viewportSize()?.height ?? 800
        await tab.page.mouse.wheel(0, screens * height * 0.9)
        await settle(tab, ctx, parts.limits)
        return toPageResult(await about(tab))
      }),
  )
}

function createTabs(parts: StepParts) {
  return tool(
    {
      title: 'Tabs',
      description: 'List the open tabs, make one the current one, or close one.',
      input: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ['list', 'select', 'close'], description: 'list unless given' },
          tab: TAB,
        },
        additionalProperties: false,
      },
      output: TABS,
      readOnly: false,
      destructive: false,
      openWorld: false,
    },
    async ({ action = 'list', tab: id }, ctx) => {
      const profile = await parts.profiles.known(ctx.principal)
      if (action !== 'list') {
        const tab = id === undefined ? profile?.current : profile?.tabs.get(id)
        if (profile === undefined || tab === undefined) throw new ToolError('There is no such tab.')
        if (action === 'select') profile.current = tab
        else await tab.page.close()
      }
      const tabs = await Promise.all(
        [...(profile?.tabs.values() ?? [])].map(async (tab) => ({
          tab: tab.id,
          ...(await nameOf(tab)),
          current: tab === profile?.current,
        })),
      )
      const lines = tabs.map(({ tab, url, title, current }) => {
        return `${tab}${current ? ' (current)' : ''}: ${title.replace(/\s+/g, ' ') || 'Untitled'} (${url})`
      })
      return toForeignResult('the pages in these tabs', lines.join('\n') || 'No tab is open.', { tabs })
    },
  )
}
