/** A real browser and somebody who clicks in it: opens pages, fills in what the authorization server asks. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserAgent } from '@portico/sdk/auth'
import { createLoopbackUserAgent } from '@portico/sdk/auth-node'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../support/chromium.ts'

export interface Visitor {
  /** For one sign-in after the other, all in the same browser. */
  readonly userAgent: UserAgent
  /** The pages that were seen, by what they asked for, and where the browser came to in the end. */
  readonly seen: string[]
  /** The scopes that the last consent page named. */
  readonly asked: string[]
  /** What the visitor does at each page. */
  habits: Habits
  /** Signs out at the authorization server, by its own page. */
  signOut(issuer: string): Promise<void>
}

export interface Habits {
  readonly password: string
  readonly consent: 'Allow' | 'Refuse'
}

/** Opens a browser with nothing in it, and closes it afterwards. */
export async function withVisitor(use: (visitor: Visitor) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'lab-chromium-'))
  let context: BrowserContext | undefined
  try {
    // Whoever comes here has asked `findChromium` before.
    context = await chromium.launchPersistentContext(home, { executablePath: findChromium() ?? '', args: FLAGS })
    context.setDefaultTimeout(20_000)
    await use(createVisitor(context))
  } finally {
    await context?.close()
    await rm(home, { recursive: true, force: true })
  }
}

export const FLAGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function createVisitor(context: BrowserContext): Visitor {
  const visitor: Visitor = {
    seen: [],
    asked: [],
    habits: { password: 'correct horse', consent: 'Allow' },
    userAgent: createLoopbackUserAgent({
      async openPage(url) {
        const tab = await context.newPage()
        try {
          await goThrough(tab, url, visitor)
        } finally {
          await tab.close()
        }
        return true
      },
      // The pages led nowhere: nobody is going to come back.
      print: () => {
        throw new Error(`the visitor is lost after: ${visitor.seen.join(', ')}`)
      },
    }),
    async signOut(issuer) {
      const tab = await context.newPage()
      await tab.goto(`${issuer}/session/end`)
      await photograph(tab, 'sign-out')
      await tab.getByRole('button', { name: 'Sign out' }).click()
      await tab.getByRole('heading', { name: 'Signed out' }).waitFor()
      await tab.close()
    },
  }
  return visitor
}

async function goThrough(tab: Page, url: URL, { seen, asked, habits }: Visitor): Promise<void> {
  await tab.goto(url.href)
  for (let step = 0; step < 6; step++) {
    const heading = tab.getByRole('heading', { level: 1 })
    const text = tab.getByText('You can close this page')
    await heading.or(text).waitFor()
    const title = (await text.isVisible()) ? 'back' : ((await heading.textContent()) ?? '')
    seen.push(title)
    if (title === 'back') return
    await photograph(tab, title)
    const pressed = title === 'Sign in' ? 'Sign in' : habits.consent
    if (title === 'Sign in') {
      await tab.getByLabel('Name').fill('alice')
      // The second attempt is right.
      const again = await tab.getByRole('alert').isVisible()
      await tab.getByLabel('Password').fill(again ? 'correct horse' : habits.password)
    } else asked.splice(0, asked.length, ...(await tab.locator('code').allTextContents()))
    const moved = tab.waitForEvent('framenavigated')
    await tab.getByRole('button', { name: pressed, exact: true }).click()
    await moved
    await tab.waitForLoadState()
  }
}

/** For looking at the pages: `SCREENSHOTS` names a folder. */
async function photograph(tab: Page, title: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  const name = title.toLowerCase().replaceAll(/\W+/g, '-')
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.emulateMedia({ colorScheme })
    await tab.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) })
  }
}
