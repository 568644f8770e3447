/** One workbench and one browser in it, shared by the trials of a run: pages, questions to the program, and pictures. */

import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { type Program, startProgram } from './program.ts'
import { type Registry, startRegistry } from './registry.ts'

export type Theme = 'light' | 'dark'
export type Width = 'desktop' | 'phone'

export const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const
/** Pictures that the documentation shows. */
export const SHOWN = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url))

export interface Site {
  readonly program: Program
  /** The one that the program searches. */
  readonly registry: Registry
  readonly context: BrowserContext
  readonly page: Page
  readonly origin: string
  /** Everything that the console complained of, and every error of the page. */
  readonly complaints: string[]
  /** Pictures that nobody but a developer looks at. */
  readonly pictures: string
  readonly figures: Map<string, string>
  /** A request of the page, made from within it. */
  call(method: string, params?: object): Promise<Answer>
  look(theme: Theme, width: Width): Promise<void>
  /** Opens a screen by its address: `/tools?name=sql_query`. */
  show(route: string): Promise<void>
  /** Throws with what axe-core found. */
  examine(what: string): Promise<void>
  picture(name: string, folder?: string): Promise<void>
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at in the trials, field by field
export type Answer = any

const FLAGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** The machine may have much else to do. */
const PATIENCE_MS = 120_000
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export async function openSite(executablePath: string): Promise<Site> {
  const registry = await startRegistry()
  const program = await startProgram({ PORTICO_REGISTRY_URL: registry.url })
  const profile = await mkdtemp(join(tmpdir(), 'lab-chromium-'))
  const pictures = process.env.SCREENSHOTS ?? join(tmpdir(), 'portico-screenshots')
  await mkdir(pictures, { recursive: true })
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: FLAGS,
    viewport: SIZES.desktop,
    // Pictures and rules of contrast want things at rest.
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = context.pages()[0] ?? (await context.newPage())
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)))
  const site: Site = {
    program,
    registry,
    context,
    page,
    origin: new URL(program.link).origin,
    complaints,
    pictures,
    figures: new Map(),
    call: (method, params = {}) => page.evaluate(ask, { method, params }),
    look: async (theme, width) => {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.setViewportSize(SIZES[width])
    },
    show: async (route) => {
      await page.evaluate((hash) => {
        location.hash = hash
      }, `#${route}`)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
    },
    examine: (what) => examine(page, what),
    picture: async (name, folder = pictures) => {
      await mkdir(folder, { recursive: true })
      if (folder === SHOWN) return writeFile(join(folder, `${name}.webp`), await smallPicture(context, page))
      await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
    },
    close: async () => {
      await context.close()
      await program.stop()
      registry.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return site
}

/** A third of a PNG's size: they are kept with the code. */
async function smallPicture(context: BrowserContext, page: Page): Promise<Buffer> {
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await session.detach()
  return Buffer.from(data, 'base64')
}

/** Runs in the page. */
async function ask({ method, params }: { method: string; params: object }): Promise<Answer> {
  const response = await fetch(`/api/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(`${method}: ${response.status} ${JSON.stringify(body)}`)
  return body
}

async function examine(page: Page, what: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${AXE};0`)
  const found = await page.evaluate(async () => {
    // Put there by the line above.
    const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: AxeFinding[] }> } }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.map(({ id, help, nodes }) => ({
      rule: `${id}: ${help}`,
      where: nodes.slice(0, 6).map(({ html, failureSummary }) => `${html.slice(0, 240)} — ${failureSummary}`),
    }))
  })
  if (found.length > 0) throw new Error(`accessibility of ${what}: ${JSON.stringify(found, undefined, 2)}`)
}

interface AxeFinding {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Waits until something holds that no element of the page tells. */
export async function until(holds: () => Promise<boolean>, what: string, withinMs = PATIENCE_MS): Promise<void> {
  const end = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It never came to this: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Allows the first start of a server. Other questions may wait before it: they stay as they are. */
export async function allowStart({ call }: Pick<Site, 'call'>, server: string): Promise<void> {
  const isStart = ({ body }: Answer) => body.effect?.kind === 'connect' && body.effect.server === server
  const find = async () => (await call('inbox.list')).questions.find(isStart)
  await until(async () => (await find()) !== undefined, `the host asks before the first start of ${server}`)
  const { id } = await find()
  await call('inbox.answer', { id, answer: { action: 'allow', remember: 'always', by: 'workbench' } })
}
