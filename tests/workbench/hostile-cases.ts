/** A hostile server in the workbench: what it says is shown as text, and however much it says, the page answers. */

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { allowStart, type Site, until } from './site.ts'
import type { Trial } from './trial.ts'

const SERVER = fileURLToPath(new URL('./hostile-server.ts', import.meta.url))
const RUNNER = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))

export const hostileTrials: readonly Trial[] = [
  { name: 'hostile: a thousand tools with markup and hidden characters are shown as text', run: listTools },
  { name: 'hostile: markup and huge text in results are text', run: showResults },
  { name: 'hostile: the page answers within a second during 10,000 messages a second', long: true, run: flood },
  { name: 'hostile: the timeline scrolls through 100,000 messages', long: true, run: scroll },
]

async function listTools(site: Site): Promise<void> {
  const { page, call, show } = site
  await site.look('light', 'desktop')
  await call('servers.add', { name: 'hostile', entry: { command: process.execPath, args: [RUNNER, SERVER] } })
  await allowStart(site, 'hostile')
  await until(
    async () => (await call('items.list', { server: 'hostile' })).total === 1_000,
    'all thousand tools are listed',
    90_000,
  )
  await show('/servers')
  await page.getByRole('article', { name: 'Server hostile' }).waitFor()
  await show('/tools?name=hostile_markup&server=hostile')
  await page.getByText('<img src=x onerror=').first().waitFor()
  await page.getByText('The server’s text has hidden characters').waitFor()
  const rows = await page.getByRole('option').count()
  assert.ok(rows < 100, `${rows} rows are drawn`)
  await site.examine('a hostile tool')
  await site.picture('hostile-tool')
  await harmless(site)
}

async function showResults(site: Site): Promise<void> {
  const { page, show } = site
  for (const [tool, words] of [
    ['markup', '<script>window.pwned=1</script>'],
    ['huge', '<i>huge</i>'],
  ] as const) {
    await show(`/tools?name=hostile_${tool}&server=hostile`)
    await page.getByRole('heading', { level: 2 }).filter({ hasText: tool }).waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const run = page.getByRole('region', { name: 'Run' })
    await run.getByText('Done', { exact: true }).waitFor()
    await run.getByText(words).first().waitFor()
    const drawn = await page.evaluate(() => document.body.textContent.length)
    assert.ok(drawn < 500_000, `${drawn} characters are drawn`)
    await site.picture(`hostile-${tool}`)
    await harmless(site)
  }
}

async function harmless({ page }: Site): Promise<void> {
  assert.equal(await page.evaluate(() => 'pwned' in window), false, 'nothing of the server ran')
  assert.equal(await page.locator('main script, main img[src="x"], main a[href^="javascript:"]').count(), 0)
}

async function flood(site: Site): Promise<void> {
  const { page, call, show, figures } = site
  await show('/timeline')
  const quiet: number[] = []
  for (const title of TOUR) quiet.push(await page.evaluate(clickThrough, title))
  const before = (await call('timeline.query', { limit: 1 })).total
  const flooding = call('tools.call', { name: 'hostile_flood', arguments: {}, run: 'hostile-flood' })
  await until(async () => (await call('timeline.query', { limit: 1 })).total > before + 2_000, 'the flood has begun')
  const times: number[] = []
  for (const title of TOUR) times.push(await page.evaluate(clickThrough, title))
  const { result } = await flooding
  figures.set('flood', result.content[0].text)
  figures.set('clicks during the flood', times.map((ms) => `${Math.round(ms)} ms`).join(', '))
  await harmless(site)
  // On a machine that is busy with other things, clicks take longer without any flood as well.
  const bound = Math.max(1_000, 6 * Math.max(...quiet))
  assert.ok(
    Math.max(...times) < bound,
    `clicks took ${times.map(Math.round).join(', ')} ms; without the flood ${quiet.map(Math.round).join(', ')} ms`,
  )
}

const TOUR = ['Servers', 'Policy', 'Inbox', 'Timeline', 'Tools', 'Timeline']

/** Runs in the page: from the click on a screen's link to the frame that shows its heading. */
async function clickThrough(title: string): Promise<number> {
  const links = [...document.querySelectorAll('nav a')].filter((link) => link.textContent?.startsWith(title))
  const from = performance.now()
  if (!(links[0] instanceof HTMLElement)) throw new Error(`There is no way to ${title}`)
  links[0].click()
  while (!document.querySelector('h1')?.textContent?.startsWith(title)) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    if (performance.now() - from > 20_000) throw new Error(`${title} does not open`)
  }
  return performance.now() - from
}

async function scroll({ page, call, show, figures }: Site): Promise<void> {
  const { total } = await call('timeline.query', { limit: 1 })
  assert.ok(total >= 100_000, `there are ${total} messages`)
  await show('/timeline')
  await page.getByRole('listbox', { name: 'Messages' }).waitFor()
  const still = await page.evaluate(drawFrames, 60)
  const { frames, most } = await page.evaluate(scrollThrough)
  const at = (part: number, of = frames) => of.sort((a, b) => a - b)[Math.floor(of.length * part)] ?? 0
  figures.set('timeline', `${total} messages, at most ${most} rows drawn`)
  figures.set('frames while scrolling', `median ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms`)
  assert.ok(most < 150, `${most} rows are drawn`)
  // On a machine that is busy with other things, frames take longer without any scrolling as well.
  const bound = Math.max(100, 6 * at(0.95, still))
  assert.ok(at(0.95) < bound, `frames take ${at(0.95)} ms; without scrolling ${at(0.95, still)} ms`)
}

/** Runs in the page: how long frames take in which nothing changes. */
async function drawFrames(count: number): Promise<number[]> {
  const frames: number[] = []
  let last = performance.now()
  while (frames.length < count) {
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
    frames.push(now - last)
    last = now
  }
  return frames
}

/** Runs in the page: from the top to the bottom in 240 frames. */
async function scrollThrough(): Promise<{ frames: number[]; most: number }> {
  const box = document.querySelector('[role="listbox"][aria-label="Messages"]')
  if (box === null) throw new Error('There is no list')
  const frames: number[] = []
  let most = 0
  let last = performance.now()
  for (let step = 0; step <= 240; step++) {
    box.scrollTop = (box.scrollHeight * step) / 240
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
    frames.push(now - last)
    last = now
    most = Math.max(most, box.querySelectorAll('[role="option"]').length)
  }
  return { frames, most }
}
