/**
 * Pages in a real Chromium before our server: one from an allowed origin, which may use fetch, EventSource and
 * WebSocket, and one from another, which reaches no handler by any of them.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium, NO_CHROMIUM } from '../../support/chromium.ts'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { type OwnServer, openOwnServer } from '../own-process.ts'
import type { Counted } from './browser-page.ts'

export const browserSuites: Trial[] = [
  { name: 'browser · chromium', missing: () => (findChromium() ? undefined : NO_CHROMIUM), run: runBrowser },
]

const WAYS = [
  { group: 'modern', name: 'fetch, 2026-07-28', path: '/mcp', use: 'fetchModern' },
  { group: 'older', name: 'fetch, a session of 2025-11-25', path: '/mcp', use: 'fetchOlder' },
  { group: 'sse', name: 'EventSource, HTTP+SSE', path: '/sse', use: 'overEventSource' },
  { group: 'socket', name: 'WebSocket', path: '/mcp', use: 'overWebSocket' },
] as const

/** What `browser-page.ts` is in the page. */
declare const ways: { readonly [way: string]: (url: string) => Promise<Counted> }

async function runBrowser(report: Report): Promise<void> {
  const allowed = await openPages()
  const other = await openPages()
  const served = await openOwnServer([allowed.origin])
  const home = mkdtempSync(join(tmpdir(), 'portico-chromium-'))
  let browser: BrowserContext | undefined
  try {
    browser = await chromium.launchPersistentContext(home, { executablePath: findChromium(), args: FLAGS })
    await visit(report, await openPage(browser, allowed.origin), served)
    await visitRefused(report, await openPage(browser, other.origin), served)
  } finally {
    await browser?.close()
    await served.close()
    await Promise.all([allowed.close(), other.close()])
    rmSync(home, { recursive: true, force: true })
  }
}

async function visit(report: Report, page: Page, served: OwnServer): Promise<void> {
  for (const { group, name, path, use } of WAYS) {
    await report.checkIn(group, `${name}: a page of an allowed origin calls a tool`, async () => {
      assert.deepEqual(await count(page, use, served.origin + path), { progress: [1, 2], text: 'counted to 2' })
    })
  }
}

async function visitRefused(report: Report, page: Page, served: OwnServer): Promise<void> {
  for (const { name, path, use } of WAYS) {
    await report.checkIn('guard', `sec-01: ${name}: a page of another origin reaches no handler`, async () => {
      const before = served.answered()
      await assert.rejects(count(page, use, served.origin + path), /Failed to fetch|was refused/)
      assert.equal(served.answered(), before)
    })
  }
}

async function openPage(browser: BrowserContext, origin: string): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(origin)
  await page.addScriptTag({ content: await pageScript() })
  return page
}

function count(page: Page, way: string, url: string): Promise<Counted> {
  return page.evaluate(
    ([way = '', url = '']) => {
      const use = ways[way]
      if (use === undefined) throw new Error(`the page has no ${way}`)
      return use(url)
    },
    [way, url],
  )
}

async function pageScript(): Promise<string> {
  const entry = fileURLToPath(new URL('browser-page.ts', import.meta.url))
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'ways',
  })
  return outputFiles[0]?.text ?? ''
}

/** An origin of its own with an empty page. */
async function openPages(): Promise<{ origin: string; close(): Promise<void> }> {
  const node = createServer((_req, res) => res.setHeader('content-type', 'text/html').end('<!doctype html>'))
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  return {
    // A server that listens on a port has an address of this form, not a pipe's name.
    origin: `http://localhost:${(node.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        node.close(() => resolve())
        node.closeAllConnections()
      }),
  }
}

const FLAGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
