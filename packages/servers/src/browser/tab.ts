/** One page of one user: what happened in it that was not asked for is kept here until somebody is told. */

import type { Dialog, Page } from 'playwright-core'
import { spellHidden, toPlainText } from '../text/plain-text.ts'
import { type BrowserProxy, REFUSED_HEADER } from './proxy.ts'
import { TabRecords } from './tab-records.ts'

interface TabEvents {
  onChange(tab: Tab): void
  onClose(tab: Tab): void
}

const MAX_NOTICES = 20

export class Tab {
  readonly id: string
  readonly page: Page
  /** Whether the user agreed to a form being sent; holds until the next thing that is done here. */
  maySubmit = false
  readonly records: TabRecords
  /** What the last dialog said that was dismissed. */
  lastDialog: string | undefined
  /** The one that the user agreed to, and what it gets. */
  #accepted: { readonly message: string; readonly text: string | undefined } | undefined
  #notices: string[] = []
  #dropped = 0

  constructor(id: string, page: Page, proxy: BrowserProxy, events: TabEvents) {
    this.id = id
    this.page = page
    this.records = new TabRecords(page)
    page.on('dialog', (dialog) => this.#answer(dialog).catch(() => {}))
    page.on('download', (download) => {
      this.note(`The page offered a download, which is refused: ${download.suggestedFilename()}`)
      download.cancel().catch(() => {})
    })
    page.on('filechooser', () => this.note('The page asked for a file, and got none.'))
    page.on('requestfailed', (request) => this.#refused(proxy, request.url()))
    page.on('response', (response) => {
      if (response.status() === 403 && response.headers()[REFUSED_HEADER] === '1') this.#refused(proxy, response.url())
    })
    page.on('crash', () => this.note('The page crashed.'))
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return
      // What was agreed to was agreed to on the page before.
      this.lastDialog = undefined
      this.#accepted = undefined
      events.onChange(this)
    })
    page.on('load', () => events.onChange(this))
    page.on('close', () => events.onClose(this))
  }

  /** Says yes to a dialog when it comes next, if it says the same as it did. */
  acceptNext(message: string, text: string | undefined): void {
    this.#accepted = { message, text }
  }

  #answer(dialog: Dialog): Promise<void> {
    if (dialog.type() === 'beforeunload') return dialog.accept()
    // Spelled out, so that one that differs in what cannot be seen is another.
    const message = spellHidden(dialog.message())
    const accepted = this.#accepted
    this.#accepted = undefined
    if (accepted?.message === message) {
      this.note(`The page showed a ${dialog.type()} that was answered: "${message}"`)
      return dialog.accept(accepted.text)
    }
    this.lastDialog = message
    this.note(`The page showed a ${dialog.type()} that was dismissed: "${message}"`)
    return dialog.dismiss()
  }

  note(words: string): void {
    const clean = toPlainText(words).slice(0, 300)
    if (this.#notices.includes(clean)) return
    if (this.#notices.length < MAX_NOTICES) this.#notices.push(clean)
    else this.#dropped++
  }

  /** What is to be told, once. */
  takeNotices(): string[] {
    const notices = this.#dropped === 0 ? this.#notices : [...this.#notices, `And ${this.#dropped} more of that kind.`]
    this.#notices = []
    this.#dropped = 0
    return notices
  }

  #refused(proxy: BrowserProxy, address: string): void {
    const url = URL.canParse(address) ? new URL(address) : undefined
    const reason = url && proxy.refusalOf(url.host)
    if (reason !== undefined) this.note(`Refused: ${reason}`)
  }
}
