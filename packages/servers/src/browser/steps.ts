/** What every step on a page has in common: which tab, how long, what to say when it fails, what to tell afterwards. */

import { setTimeout as pause } from 'node:timers/promises'
import { type RequestContext, ToolError } from '@portico/sdk/server'
import { errors } from 'playwright-core'
import { notice, type Slice, slice, toForeignResult } from '../text/foreign-text.ts'
import { toPlainText } from '../text/plain-text.ts'
import type { BrowserLimits } from './options.ts'
import type { Profile, Profiles } from './profiles.ts'
import type { Tab } from './tab.ts'

export interface StepParts {
  readonly profiles: Profiles
  readonly limits: BrowserLimits
  readonly allowUnasked: boolean
}

/** Finds the tab, does the step, waits for the page to come to rest. */
export async function onTab<T>(
  { profiles, limits }: StepParts,
  ctx: RequestContext,
  id: string | undefined,
  action: (tab: Tab, profile: Profile) => Promise<T>,
): Promise<T> {
  const profile = await profiles.known(ctx.principal)
  const tab = id === undefined ? profile?.current : profile?.tabs.get(id)
  if (profile === undefined || tab === undefined) {
    throw new ToolError(id === undefined ? 'No page is open. Use navigate.' : `There is no tab ${id}. Use tabs.`)
  }
  profile.current = tab
  return attempt({ limits, ctx, tab }, () => action(tab, profile))
}

interface Attempt {
  readonly limits: BrowserLimits
  readonly ctx: RequestContext
  readonly tab: Tab
}

export async function attempt<T>({ limits, ctx, tab }: Attempt, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof ToolError || ctx.signal.aborted || !(error instanceof Error)) throw error
    if (error instanceof errors.TimeoutError) {
      const advice = (await isStuck(tab)) ? stuckHint(tab) : hint(error.message)
      throw new ToolError(`That took more than ${limits.timeoutMs} ms (option timeoutMs). ${advice}`, { cause: error })
    }
    if (/Target page, context or browser has been closed|crashed/.test(error.message)) {
      throw new ToolError('The page is gone. Use navigate to open it again.', { cause: error })
    }
    const [, failure] = /\bnet::(ERR_[A-Z_]+)/.exec(error.message) ?? []
    if (failure !== undefined) throw new ToolError(wordsOf(failure), { cause: error })
    // Suspended questions and the like are not failures of a page.
    if (!/^(page|locator|keyboard|elementHandle|mouse)\./.test(error.message)) throw error
    throw new ToolError(toPlainText(error.message.split('\n')[0] ?? '').slice(0, 300), { cause: error })
  }
}

/** What the browser calls its failures, in words. */
function wordsOf(failure: string): string {
  const known = NETWORK_WORDS.find(([part]) => failure.includes(part))?.[1] ?? 'The page could not be opened'
  return `${known} (${failure}).`
}

const NETWORK_WORDS = [
  ['NAME_NOT_RESOLVED', 'There is no site of this name, or this machine is offline'],
  ['INTERNET_DISCONNECTED', 'This machine is offline'],
  ['CERT', 'The certificate of the site is not valid: it cannot be trusted'],
  ['SSL', 'The site does not speak HTTPS as it should'],
  ['TUNNEL', 'The site cannot be reached: it is not there, or this machine is offline'],
  ['CONNECTION', 'The site cannot be reached, or ended the connection'],
  ['EMPTY_RESPONSE', 'The site answered nothing'],
  ['TOO_MANY_REDIRECTS', 'The site leads in a circle'],
  ['TIMED_OUT', 'The site did not answer in time'],
] as const

/** Whether the page does nothing but run its own script: nothing can be asked of it, and nothing opened in its tab. */
async function isStuck({ page }: Tab): Promise<boolean> {
  const answers = page.evaluate('1').then(
    () => false,
    () => false,
  )
  return Promise.race([answers, pause(STUCK_MS, true, { ref: false })])
}

const STUCK_MS = 2_000

function stuckHint({ id }: Tab): string {
  return `The page keeps its tab busy without an end. Close it (tabs with action "close" and tab "${id}"), or navigate with newTab.`
}

function hint(message: string): string {
  return /intercepts pointer events|not visible|outside of the viewport/.test(message)
    ? 'Something covers the element, or it cannot be seen: scroll, or close what covers it.'
    : 'The page may still be loading: read_page shows how far it is.'
}

/** Lets what a step began begin, and then come to its end or to a good part of it. */
export async function settle(tab: Tab, ctx: RequestContext, limits: BrowserLimits): Promise<void> {
  await tab.page.waitForTimeout(BEGIN_MS).catch(() => {})
  const timeout = Math.min(limits.timeoutMs, REST_MS)
  await tab.page.waitForLoadState('load', { timeout, signal: ctx.signal }).catch(() => {})
  ctx.signal.throwIfAborted()
}

/** What is told when a step was taken. */
export async function after(parts: StepParts, ctx: RequestContext, tab: Tab) {
  await settle(tab, ctx, parts.limits)
  return toPageResult(await about(tab))
}

const BEGIN_MS = 60
const REST_MS = 5_000

/** What is told of a page after a step. */
export async function about(tab: Tab, status?: number) {
  const { url, title } = await nameOf(tab)
  const told = { tab: tab.id, url, title, ...(status !== undefined && { status }), notices: tab.takeNotices() }
  return { notice: notice(url), ...told }
}

/** Which page a tab shows. Unlike `about` it takes nothing that is still to be told. */
export async function nameOf({ page }: Tab): Promise<{ readonly url: string; readonly title: string }> {
  const url = toPlainText(page.url()).slice(0, 2_000)
  const title = toPlainText(await page.title().catch(() => '')).slice(0, 300)
  return { url, title }
}

/** A picture of bounded size. */
export async function takePicture(
  { page }: Tab,
  { whole, signal }: { readonly whole: boolean; readonly signal: AbortSignal },
  { maxScreenshotBytes }: BrowserLimits,
): Promise<Buffer> {
  const picture = await page.screenshot({ type: 'jpeg', quality: 80, fullPage: whole, signal })
  if (picture.length <= maxScreenshotBytes) return picture
  throw new ToolError(`The picture has ${picture.length} bytes (option maxScreenshotBytes). Take what is in view.`)
}

type About = Awaited<ReturnType<typeof about>>

/** The page's own words, marked as such. */
export function toPageResult(told: About, part?: Slice) {
  const head = [`${told.title || 'Untitled'} (${told.url}, tab ${told.tab})`, ...told.notices].join('\n')
  const shown = part === undefined ? head : `${head}\n\n${part.text}`
  return toForeignResult(told.url, shown, { ...told, ...(part !== undefined && toPart(part)) }, part && restOf(part))
}

function restOf({ length, end, next }: Slice): string {
  return next === undefined ? '' : `[${length - end} more characters: start ${next}]`
}

function toPart({ text: words, start, length, next }: Slice) {
  return { text: words, start, length, ...(next !== undefined && { next }) }
}

const MAX_TEXT = 2_000_000

/** The page as an outline with a reference for each element, or as bare text. */
interface TabPart {
  readonly as: 'outline' | 'text'
  readonly start: number
  readonly length: number
}

export async function readTab(tab: Tab, { as, start, length }: TabPart, signal: AbortSignal): Promise<Slice> {
  const whole = as === 'outline' ? await tab.page.ariaSnapshot({ mode: 'ai', signal }) : await seenText(tab, signal)
  return slice(toPlainText(whole.slice(0, MAX_TEXT)), start, length)
}

export function seenText({ page }: Tab, signal: AbortSignal): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not what the page says
  return page.locator('body').innerText({ signal })
}
