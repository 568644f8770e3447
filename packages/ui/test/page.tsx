/**
 * A part of the page in the browser of the tests, as the page itself shows it: with its styles and theme, and with a
 * program behind it that answers what a test says and keeps what it was asked.
 */

import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import '../src/app/global.css'

import { MantineProvider } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { ApiEvent, ApiFailure, ApiMethod, ApiParams, ApiResult } from 'portico/web-api'
import type { ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { openEvents } from '../src/app/data/events.ts'
import { Toasts } from '../src/app/toasts.tsx'
import { cssVariables, theme } from '../src/theme.ts'

let root: Root | undefined

/** Draws a part, in place of what was there. */
export function show(part: ReactNode): void {
  root ??= createRoot(document.body.appendChild(document.createElement('div')))
  root.render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="light" env="test">
      <Toasts />
      {part}
    </MantineProvider>,
  )
}

/** A part that fills what is given, as the lists do. */
export function Frame({ children, height = 400 }: { readonly children: ReactNode; readonly height?: number }) {
  return <div style={{ height, display: 'flex', flexDirection: 'column' }}>{children}</div>
}

type Answering = { readonly [M in ApiMethod]?: (params: ApiParams<M>) => ApiResult<M> | Promise<ApiResult<M>> }

let answering: Answering = {}
const asked: { readonly method: ApiMethod; readonly params: unknown }[] = []
interface Stream {
  readyState: number
  onmessage?: (event: { readonly data: string }) => void
  onopen?: () => void
  onerror?: () => void
}

const streams: Stream[] = []

/** What the program answers from now on, beside what it answered before. */
export function answers(more: Answering): void {
  answering = { ...answering, ...more }
}

/** Thrown in an answer: the program refuses. */
export function refusal(message: string, remedy?: string): Response {
  const failure: ApiFailure = { code: 'refused', message, ...(remedy !== undefined && { remedy }) }
  return new Response(JSON.stringify(failure), { status: 400 })
}

/** What was asked of the program so far, oldest first. */
export function askedOf<M extends ApiMethod>(method: M): readonly ApiParams<M>[] {
  // Kept under the method whose parameters they are.
  return asked.filter((one) => one.method === method).map(({ params }) => params as ApiParams<M>)
}

/** Something that the program tells without being asked. */
export function tell(event: ApiEvent): void {
  openEvents()
  for (const stream of streams) stream.onmessage?.({ data: JSON.stringify(event) })
}

/** The stream of events is lost, refused by the program, or there again. */
export function setStream(state: 'lost' | 'refused' | 'open'): void {
  openEvents()
  for (const stream of streams.slice(-1)) {
    stream.readyState = { lost: 0, refused: 2, open: 1 }[state]
    if (state === 'open') stream.onopen?.()
    else stream.onerror?.()
  }
}

async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  // Only the names of the contract are asked for below this address.
  const method = String(input).replace('/api/', '') as ApiMethod
  const params: unknown = JSON.parse(String(init?.body))
  asked.push({ method, params })
  const made = answering[method] as ((params: unknown) => unknown) | undefined
  if (made === undefined) return refusal(`The test has no answer to ${method}`)
  try {
    return new Response(JSON.stringify((await made(params)) ?? {}))
  } catch (thrown) {
    if (thrown instanceof Response) return thrown
    throw thrown
  }
}

const fetchOfBrowser = window.fetch.bind(window)

beforeEach(async () => {
  if (window.innerWidth !== 1_000) await page.viewport(1_000, 800)
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
    String(input).startsWith('/api/') ? answer(input, init) : fetchOfBrowser(input, init),
  )
  vi.stubGlobal(
    'EventSource',
    class {
      static readonly CLOSED = 2
      readyState = 1

      constructor() {
        streams.push(this)
      }
    },
  )
})

afterEach(() => {
  notifications.clean()
  root?.unmount()
  root = undefined
  document.body.replaceChildren()
  answering = {}
  asked.length = 0
  window.location.hash = ''
})

/**
 * The one part that a locator means, once it is there and can be used. Clicks and texts below are given to it inside the
 * page, which takes a hundredth of the time of a pointer; `type` and locators' own actions go through the browser.
 */
async function usable(locator: Locator): Promise<HTMLElement> {
  const found = () => locator.elements().map((element) => (element.matches(':disabled') ? 'disabled' : 'usable'))
  await expect.poll(found, { message: `what there is of ${locator.selector}` }).toEqual(['usable'])
  return locator.element() as HTMLElement
}

export async function click(locator: Locator): Promise<void> {
  const element = await usable(locator)
  element.focus()
  element.click()
}

/** Types over what a field holds. */
export async function fill(field: string | RegExp | Locator, text: string): Promise<void> {
  const locator =
    typeof field === 'string' || field instanceof RegExp ? page.getByLabelText(field, { exact: true }) : field
  const element = (await usable(locator)) as HTMLInputElement | HTMLTextAreaElement
  element.focus()
  // React looks at the property of the element's own kind for what has changed.
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value')?.set?.call(element, text)
  element.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Fills a field and ends it by Enter, whatever has the focus meanwhile. */
export async function enter(locator: Locator, text: string): Promise<void> {
  await fill(locator, text)
  const element = locator.element()
  await expect.poll(() => (element as HTMLInputElement).value).toBe(text)
  element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }))
}

export function textbox(name: string | RegExp): Locator {
  return page.getByRole('textbox', { name, exact: typeof name === 'string' })
}

export async function press(name: string | RegExp, role: 'button' | 'tab' | 'menuitem' | 'link' = 'button') {
  await click(page.getByRole(role, { name, exact: typeof name === 'string' }))
}

/** Presses what has these words, such as a part of a segmented control. */
export async function pick(words: string): Promise<void> {
  await click(page.getByText(words, { exact: true }))
}

/** Chooses from a list that opens below its field. */
export async function choose(label: string, ...options: readonly string[]): Promise<void> {
  await click(page.getByRole('combobox', { name: label, exact: true }))
  for (const name of options) await click(page.getByRole('option', { name, exact: true }))
}

export async function type(keys: string): Promise<void> {
  await userEvent.keyboard(keys)
}

/** Everything that is read on the page. */
export function words(): string {
  // biome-ignore lint/performance/useDomNodeTextContent: what is hidden is not read
  return document.body.innerText
}

/** At the width of a telephone nothing stands out of the window, except inside what scrolls by itself. */
export async function expectInside(width = 390): Promise<void> {
  await page.viewport(width, 800)
  await expect.poll(() => window.innerWidth).toBe(width)
  expect(standingOut(), 'parts that stand out of the window').toEqual([])
}

function standingOut(): string[] {
  const found = [...document.body.querySelectorAll<HTMLElement>('*')].filter((element) => {
    const { right, left, width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0 && (right > window.innerWidth + 1 || left < -1) && !isCut(element)
  })
  return found.map((element) => `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}`)
}

function isCut(element: HTMLElement): boolean {
  for (let around = element.parentElement; around !== null; around = around.parentElement) {
    if (getComputedStyle(around).overflowX !== 'visible' && around !== document.body) {
      const { right, left } = around.getBoundingClientRect()
      if (right <= window.innerWidth + 1 && left >= -1) return true
    }
  }
  return false
}

/** Text of a server that wants to be more than text. */
export const HOSTILE = {
  html: '<img src=x onerror="window.broken=1"><script>window.broken=1</script><b>bold</b>',
  bidi: 'invoice\u202Efdp.exe',
  zeroWidth: 'pay\u200Bpal',
  tags: `fine${String.fromCodePoint(...[...'rm -rf'].map((letter) => 0xe0000 + letter.charCodeAt(0)))}`,
  long: 'w'.repeat(4_000),
  controls: 'a\u0007\u001b[31mb',
} as const

/** Nothing of a server's text has become part of the page. */
export function expectInert(): void {
  expect((window as { broken?: unknown }).broken).toBeUndefined()
  expect(document.body.querySelectorAll('script, img[src="x"], iframe, object, embed')).toHaveLength(0)
  const hidden = new RegExp(`[${HOSTILE_CHARACTERS}]`, 'u')
  expect(words()).not.toMatch(hidden)
}

/** Those of the texts above that nobody sees; made here, since a pattern may not hold some of them. */
const HOSTILE_CHARACTERS = [0x202e, 0x200b, 0x07, 0x1b].map((code) => String.fromCharCode(code)).join('')
