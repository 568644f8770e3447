/** What a page wrote to its console and what it asked of the network, the newest lines of each, as texts of strangers. */

import type { Page } from 'playwright-core'
import { toPlainText } from '../text/plain-text.ts'

const MAX_LINES = 200
const MAX_LENGTH = 500

export class TabRecords {
  readonly console: string[] = []
  readonly network: string[] = []

  constructor(page: Page) {
    page.on('console', (message) => keep(this.console, `${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => keep(this.console, `uncaught: ${error.message}`))
    page.on('response', (response) => {
      const request = response.request()
      keep(this.network, `${request.method()} ${response.status()} ${request.resourceType()} ${response.url()}`)
    })
    page.on('requestfailed', (request) => {
      keep(this.network, `${request.method()} failed ${request.url()} ${request.failure()?.errorText ?? ''}`)
    })
  }
}

function keep(lines: string[], line: string): void {
  lines.push(toPlainText(line.slice(0, MAX_LENGTH)).replace(/\s+/g, ' '))
  if (lines.length > MAX_LINES) lines.shift()
}
