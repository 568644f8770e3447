/**
 * The browser behind the server: started when first wanted, one fresh profile for each user in it, gone with its folder
 * when the server closes. Everything it asks of the network goes through `proxy.ts`.
 */

import { type Principal, ToolError } from '@portico/sdk/server'
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core'
import { plainEnvironment } from '../machine/program.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import type { Destinations } from '../network/destination.ts'
import { findBrowser } from './executable.ts'
import type { BrowserLimits, BrowserOptions } from './options.ts'
import { type BrowserProxy, openBrowserProxy } from './proxy.ts'
import { Tab } from './tab.ts'

interface ProfileEvents {
  onChange(owner: string, tab: Tab): void
  onList(): void
}

/** One user's tabs. */
export interface Profile {
  readonly owner: string
  readonly context: BrowserContext
  readonly tabs: Map<string, Tab>
  current: Tab | undefined
}

/** A profile's place among those of other users, from when it is asked for. */
interface Seat {
  readonly made: Promise<Profile>
  profile: Profile | undefined
  /** Calls that are about to open a tab in it. */
  busy: number
  /** When it was last wanted, in order. */
  used: number
}

interface Running {
  readonly browser: Browser
  readonly proxy: BrowserProxy
  /** Leaves nothing behind: neither the proxy nor the folder. */
  clear(): Promise<void>
}

const FLAGS = [
  // Names are looked up by the proxy, never by the browser, and nothing leaves beside it.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--no-pings',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
]

export class Profiles {
  readonly #options: BrowserOptions
  readonly #limits: BrowserLimits
  readonly #destinations: Destinations
  readonly #events: ProfileEvents
  readonly #seats = new Map<string, Seat>()
  /** What browsers that are gone left, until it is gone, too. */
  readonly #clearing = new Set<Promise<void>>()
  #running: Promise<Running> | undefined
  #proxy: BrowserProxy | undefined
  #lastTab = 0
  #lastUse = 0
  #closed = false

  constructor(options: BrowserOptions, limits: BrowserLimits, destinations: Destinations, events: ProfileEvents) {
    this.#options = options
    this.#limits = limits
    this.#destinations = destinations
    this.#events = events
  }

  /** Opens a tab in the user's profile, which is made when there is none yet and stays for as long as the action takes. */
  async use<T>(principal: Principal | undefined, action: (profile: Profile) => Promise<T>): Promise<T> {
    const seat = this.#seatOf(ownerOf(principal))
    seat.busy++
    try {
      return await action(await seat.made)
    } finally {
      seat.busy--
    }
  }

  #seatOf(owner: string): Seat {
    const known = this.#seats.get(owner)
    if (known !== undefined) {
      known.used = ++this.#lastUse
      return known
    }
    if (this.#closed) throw new ToolError('The server is closing.')
    this.#makeRoom()
    const made = this.#make(owner)
    const seat: Seat = { made, profile: undefined, busy: 0, used: ++this.#lastUse }
    this.#seats.set(owner, seat)
    made.then(
      (profile) => {
        seat.profile = profile
        profile.context.on('close', () => this.#forget(owner, seat))
      },
      () => this.#forget(owner, seat),
    )
    return seat
  }

  #forget(owner: string, seat: Seat): void {
    if (this.#seats.get(owner) === seat) this.#seats.delete(owner)
  }

  /** Whoever has closed all tabs gives way to somebody who wants one: first who has not been here for the longest time. */
  #makeRoom(): void {
    if (this.#seats.size < this.#limits.maxUsers) return
    const [oldest] = [...this.#seats]
      .filter(([, { profile, busy }]) => busy === 0 && profile?.tabs.size === 0)
      .sort(([, one], [, other]) => one.used - other.used)
    if (oldest === undefined) {
      throw new ToolError(`${this.#limits.maxUsers} users have tabs open (option maxUsers). Try again later.`)
    }
    const [owner, seat] = oldest
    this.#forget(owner, seat)
    seat.profile?.context.close().catch(() => {})
  }

  /** Throws for an address that can be refused by its look. */
  judge(url: URL): void {
    this.#destinations.judgeUrl(url)
  }

  refusalOf(host: string): string | undefined {
    return this.#proxy?.refusalOf(host)
  }

  /** Without making one: for whatever opens no tab. */
  async known(principal: Principal | undefined): Promise<Profile | undefined> {
    const seat = this.#seats.get(ownerOf(principal))
    if (seat !== undefined) seat.used = ++this.#lastUse
    return seat?.made.catch(() => undefined)
  }

  async open(profile: Profile): Promise<Tab> {
    if (profile.tabs.size >= this.#limits.maxPages) {
      throw new ToolError(`${this.#limits.maxPages} tabs are open (option maxPages). Close one first.`)
    }
    const page = await profile.context.newPage()
    const tab = [...profile.tabs.values()].find((one) => one.page === page)
    if (tab === undefined) throw new ToolError('The tab was closed at once.')
    profile.current = tab
    return tab
  }

  async close(): Promise<void> {
    this.#closed = true
    const running = await this.#running?.catch(() => undefined)
    this.#running = undefined
    this.#seats.clear()
    await running?.browser.close().catch(() => {})
    await running?.clear()
    await Promise.all(this.#clearing)
  }

  async #make(owner: string): Promise<Profile> {
    this.#running ??= this.#start()
    const running = this.#running
    running.catch(() => {
      if (this.#running === running) this.#running = undefined
    })
    const { browser, proxy } = await running
    const context = await browser.newContext({
      acceptDownloads: false,
      serviceWorkers: 'block',
      viewport: { width: 1_280, height: 800 },
      locale: 'en-US',
    })
    context.setDefaultTimeout(this.#limits.timeoutMs)
    const profile: Profile = { owner, context, tabs: new Map(), current: undefined }
    context.on('page', (page) => this.#adopt(profile, page, proxy))
    await context.route('**/*', (route) => this.#pass(profile, route))
    return profile
  }

  /** Also those that a page opened by itself. */
  #adopt(profile: Profile, page: Page, proxy: BrowserProxy): void {
    if (profile.tabs.size >= this.#limits.maxPages) {
      profile.current?.note('The page opened another tab, which was closed: there are as many as maxPages allows.')
      page.close().catch(() => {})
      return
    }
    const tab: Tab = new Tab(`t${++this.#lastTab}`, page, proxy, {
      onChange: (one) => this.#events.onChange(profile.owner, one),
      onClose: (one) => {
        profile.tabs.delete(one.id)
        if (profile.current === one) profile.current = [...profile.tabs.values()].at(-1)
        this.#events.onList()
      },
    })
    profile.tabs.set(tab.id, tab)
    profile.current ??= tab
    this.#events.onList()
  }

  /** A form that is sent without the user's yes does not leave, whichever way the page sends it off. */
  #pass(profile: Profile, route: Route): Promise<void> {
    const request = route.request()
    const isSent = request.isNavigationRequest() && request.method() !== 'GET' && request.method() !== 'HEAD'
    if (!isSent) return route.continue().catch(() => {})
    const page = request.frame().page()
    const tab = [...profile.tabs.values()].find((one) => one.page === page)
    if (tab?.maySubmit) return route.continue().catch(() => {})
    tab?.note('The page tried to send a form that nobody had agreed to; it was held back.')
    // An answer without content leaves the page as it is, with what was entered; an error would take its place.
    return route.fulfill({ status: 204 }).catch(() => {})
  }

  async #start(): Promise<Running> {
    const executablePath = await findBrowser(this.#options.executable)
    const isRoot = process.getuid?.() === 0
    if (isRoot && this.#options.noSandbox !== true) {
      throw new ToolError(
        'The browser has no sandbox when it runs as root. Run the server as another user, or accept that with the option "noSandbox".',
      )
    }
    const home = await makeTemporaryFolder('browser')
    let proxy: BrowserProxy | undefined
    let clearing: Promise<void> | undefined
    const clear = (): Promise<void> => {
      clearing ??= Promise.allSettled([proxy?.close(), removeTemporaryFolder(home)]).then(() => {})
      return clearing
    }
    try {
      proxy = await openBrowserProxy(this.#destinations)
      this.#proxy = proxy
      const browser = await chromium.launch({
        executablePath,
        headless: true,
        chromiumSandbox: this.#options.noSandbox !== true,
        proxy: { server: proxy.server, username: proxy.username, password: proxy.password, bypass: '<-loopback>' },
        args: FLAGS,
        env: { ...plainEnvironment(), HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, TMPDIR: home },
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
        timeout: 60_000,
      })
      browser.on('disconnected', () => this.#gone(clear()))
      return { browser, proxy, clear }
    } catch (error) {
      await clear()
      const words = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
      throw new ToolError(`The browser could not be started: ${words.slice(0, 200)}`, { cause: error })
    }
  }

  /** Ended, or crashed: the next tab starts another. */
  #gone(clearing: Promise<void>): void {
    this.#running = undefined
    this.#seats.clear()
    this.#clearing.add(clearing)
    void clearing.then(() => this.#clearing.delete(clearing))
  }
}

function ownerOf(principal: Principal | undefined): string {
  return principal === undefined ? 'local' : `user ${principal.id}`
}
