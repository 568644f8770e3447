/**
 * The pages of sign-ins that are under way. Whoever uses the workbench sits before a browser already, which need not be
 * the one that this machine would open, if it has any: the page has the address to open as well (sec-105).
 */

import { AsyncLocalStorage } from 'node:async_hooks'

export class SignInPages {
  readonly #show: (page: URL) => Promise<boolean>
  readonly #pages = new Map<string, string>()
  readonly #running = new Map<string, Promise<void>>()
  /** The host does not say for whom a page is; everything that a sign-in leads to runs in here. */
  readonly #server = new AsyncLocalStorage<string>()
  #onNews: (server: string) => void = () => {}

  /** `show` opens a page on this machine; false where that cannot be done. */
  constructor(show: (page: URL) => Promise<boolean>) {
    this.#show = show
  }

  /** Called whenever a page waits, and when a sign-in is over. */
  set onNews(listener: (server: string) => void) {
    this.#onNews = listener
  }

  /** For the host, as its way to show a page. */
  readonly openPage = (page: URL): Promise<boolean> => {
    const server = this.#server.getStore()
    if (server !== undefined) {
      this.#pages.set(server, page.href)
      this.#onNews(server)
    }
    return this.#show(page)
  }

  /** Whoever asks again while a page waits is shown the same page again. */
  during(server: string, signIn: () => Promise<void>): Promise<void> {
    const running = this.#running.get(server)
    if (running === undefined) return this.#begin(server, signIn)
    const page = this.#pages.get(server)
    if (page !== undefined) void this.#show(new URL(page)).catch(() => {})
    return running
  }

  /** What is to be opened to go on. */
  of(server: string): string | undefined {
    return this.#pages.get(server)
  }

  #begin(server: string, signIn: () => Promise<void>): Promise<void> {
    const work = this.#server.run(server, signIn).finally(() => {
      this.#running.delete(server)
      this.#pages.delete(server)
      this.#onNews(server)
    })
    this.#running.set(server, work)
    return work
  }
}
