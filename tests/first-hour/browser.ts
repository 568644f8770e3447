/** A reader with a browser: opens the link that the workbench printed, and takes the tour that needs no key. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'

const FLAGS = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--no-first-run']
const PATIENCE_MS = 60_000

/** What a page can tell its reader to do there. */
export const DEEDS: { readonly [name: string]: (browser: Browser) => Promise<void> } = {
  'open the link': async (browser) => {
    await browser.page.getByRole('article', { name: 'Server time' }).getByText('Ready', { exact: true }).waitFor()
  },
  'take the tour': async ({ page }) => {
    await page.getByRole('button', { name: 'Start the tour' }).filter({ visible: true }).first().click()
    await page.getByText('Scripted tour').waitFor()
    const allow = page
      .getByRole('button', { name: /^Allow/ })
      .filter({ visible: true })
      .first()
    const end = page.getByText('That is the tour.')
    // One question after the other, until it is over.
    while (!(await end.isVisible())) {
      await allow.or(end).first().waitFor()
      if (await allow.isVisible()) await allow.click().catch(() => {})
    }
  },
}

export class Browser {
  readonly page: Page
  readonly #context: BrowserContext
  readonly #profile: string

  private constructor(page: Page, context: BrowserContext, profile: string) {
    this.page = page
    this.#context = context
    this.#profile = profile
  }

  static missing(): string | undefined {
    return findChromium() === undefined ? NO_CHROMIUM : undefined
  }

  static async open(link: string): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'first-hour-chromium-'))
    const executablePath = findChromium() ?? ''
    const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = context.pages()[0] ?? (await context.newPage())
    await page.goto(link)
    return new Browser(page, context, profile)
  }

  async close(): Promise<void> {
    await this.#context.close()
    rmSync(this.#profile, { recursive: true, force: true })
  }
}
