/** What the gateway's cases share: a user's browser at the gateway's pages, and a clock that can be put forward. */

import assert from 'node:assert/strict'
import type { ConnectOptions } from '@portico/sdk/client'
import type { Site } from './gateway-site.ts'
import { createPerson, type Person } from './person.ts'

export interface Visiting {
  readonly browser: Browser
  /** The link that the caller was shown. */
  readonly start: string
}

/** A call that wants a sign-in, and what is done with the link that it shows; whether the call then succeeds. */
export async function withVisit(
  site: Site,
  check: (visiting: Visiting) => Promise<void>,
  finishes = false,
): Promise<void> {
  const browser = createBrowser('ada', site)
  let show = (_checked: Promise<void>): void => {}
  const checked = new Promise<void>((resolve) => {
    show = resolve
  })
  const url = async ({ url: start }: { url: string }) => {
    show(check({ browser, start }))
    show = () => {}
    await checked
    return { action: 'accept' as const }
  }
  const ada = await site.connect('ada', { elicitation: { url } })
  const ending = new AbortController()
  const call = ada.callTool('mail_sign_in', {}, { signal: ending.signal })
  await Promise.race([checked, call.then((result) => assert.match(textOf(result), /signed in/))])
  await checked
  if (!finishes) ending.abort()
  const end = await call.then(textOf, () => 'cancelled')
  assert.match(end, finishes ? /signed in/ : /cancelled/)
}

export interface Page {
  readonly status: number
  readonly url: string
  readonly html: string
  readonly headers: Headers
  readonly cookies: readonly string[]
  /** Where it sends the browser. */
  readonly location: URL
}

/** A person's browser at the gateway's pages; at authorization servers it is the person of the other cases. */
export interface Browser {
  readonly person: Person
  open(url: string): Promise<Page>
  submit(page: Page, fields?: { readonly [name: string]: string }, origin?: string): Promise<Page>
  /** The same cookies in the hands of another user of the gateway. */
  as(user: string): Browser
  /** The same with cookies that somebody has changed. */
  altered(): Browser
}

export function createBrowser(
  user: string,
  site: Site,
  cookies = new Map<string, string>(),
  person = createPerson(user),
): Browser {
  const send = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).concat(`gateway-user=${user}`)
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie: cookie.join('; ') },
    })
    const set = response.headers.getSetCookie()
    for (const line of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = new URL(response.headers.get('location') ?? '', site.pages)
    const { status, headers } = response
    return { status, url, headers, cookies: set, location, html: await response.text() }
  }
  return {
    person,
    open: (url) => send(url),
    submit(page, fields = {}, origin = new URL(page.url).origin) {
      const hidden = [...page.html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
      return send(page.url, { method: 'POST', headers: { origin }, body })
    },
    as: (other) => createBrowser(other, site, new Map(cookies), person),
    altered() {
      const flip = (value: string) => `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`
      return createBrowser(user, site, new Map([...cookies].map(([name, value]) => [name, flip(value)])), person)
    },
  }
}

/** From the gateway's page to the servers' authorization server and back; returns what the page said. */
export async function visit(browser: Browser, start: string, pages: string): Promise<string> {
  const page = await browser.open(start)
  // Whoever has agreed before is sent on at once.
  const left = page.status === 303 ? page : await browser.submit(page)
  const answer = await browser.person.open(left.location, NEVER)
  assert.equal((await browser.open(`${pages}/callback?${answer}`)).status, 200)
  return page.html
}

/** A client whose user opens the links that the gateway shows, once each. */
export function asBrowser(site: Site, user: string, visited: string[] = []): ConnectOptions {
  const browser = createBrowser(user, site)
  return {
    elicitation: {
      url: async ({ url }) => {
        if (!visited.includes(url)) {
          visited.push(url)
          await visit(browser, url, site.pages)
        }
        return { action: 'accept' }
      },
    },
  }
}

export const NEVER = new AbortController().signal

export function ticketOf(start: string): string {
  return new URL(start).searchParams.get('ticket') ?? ''
}

export function count(site: Site, what: string): number {
  return site.behind.asked.filter((line) => line === what).length
}

export function textOf({ content }: { readonly content: readonly { readonly type: string }[] }): string {
  return content.map((block) => (block as { text?: string }).text ?? block.type).join()
}

/** Runs `work` as if it were later, for everything in this process that looks at the clock. */
export async function withClockAhead<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const real = Date
  class Ahead extends real {
    constructor(...given: unknown[]) {
      // Whatever the constructor was given, it is given; without anything, now is later.
      super(...((given.length === 0 ? [Ahead.now()] : given) as [number]))
    }
    static override now(): number {
      return real.now() + ms
    }
  }
  globalThis.Date = Ahead as DateConstructor
  try {
    return await work()
  } finally {
    globalThis.Date = real
  }
}
