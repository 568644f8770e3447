/** The pages that were fetched, kept for a while, apart for each principal: what one person reads is nobody else's to list. */

import type { Page } from './page.ts'

interface VisitLimits {
  readonly maxPages: number
  readonly maxCharacters: number
  readonly keepMs: number
}

interface Visit {
  readonly principal: string
  readonly page: Page
  readonly until: number
}

export class Visits {
  readonly #limits: VisitLimits
  readonly #visits = new Map<string, Visit>()
  #characters = 0

  constructor(limits: VisitLimits) {
    this.#limits = limits
  }

  /** A page that was fetched lately under this address. */
  find(principal: string, url: string, whole = false): Page | undefined {
    const visit = this.#visits.get(keyOf(principal, url, whole))
    return visit !== undefined && visit.until > Date.now() ? visit.page : undefined
  }

  /** True when the address has other contents than before. */
  keep(principal: string, page: Page): boolean {
    const key = keyOf(principal, page.url, page.whole)
    const before = this.#visits.get(key)
    this.#drop(key)
    this.#visits.set(key, { principal, page, until: Date.now() + this.#limits.keepMs })
    this.#characters += page.markdown.length
    const { maxPages, maxCharacters } = this.#limits
    while (this.#visits.size > maxPages || this.#characters > maxCharacters) {
      const [oldest] = this.#visits.keys()
      if (oldest === undefined || oldest === key) break
      this.#drop(oldest)
    }
    return before === undefined || before.page.markdown !== page.markdown
  }

  list(principal: string): Page[] {
    const now = Date.now()
    const own = [...this.#visits.values()].filter((visit) => visit.principal === principal && visit.until > now)
    return own.map(({ page }) => page).reverse()
  }

  #drop(key: string): void {
    const visit = this.#visits.get(key)
    if (visit === undefined) return
    this.#visits.delete(key)
    this.#characters -= visit.page.markdown.length
  }
}

function keyOf(principal: string, url: string, whole: boolean): string {
  return `${whole ? 'whole' : 'main'} ${url} ${principal}`
}
