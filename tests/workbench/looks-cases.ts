/** How every screen looks: in both themes, at a desk and on a phone, without a finding of axe-core; and the pictures. */

import assert from 'node:assert/strict'
import { SHOWN, type Site, type Theme, until, type Width } from './site.ts'
import type { Trial } from './trial.ts'

export interface Look {
  readonly name: string
  readonly route: (site: Site) => Promise<string> | string
  /** What must be there before it is looked at. */
  readonly sign: string | RegExp
  /** What is done before it is looked at. */
  readonly prepare?: (site: Site) => Promise<void>
  /** Its pictures are in the documentation. */
  readonly shown?: boolean
  /** What the console may say meanwhile. */
  readonly expects?: RegExp
}

export const LOOKS: readonly Look[] = [
  { name: 'servers', route: () => '/servers', sign: 'everything', shown: true },
  { name: 'server', route: () => '/servers?open=lab', sign: 'lab-server.ts' },
  { name: 'server-add', route: () => '/servers?add=form', sign: 'Review' },
  { name: 'server-add-line', route: () => '/servers?add=paste', sign: 'Review', shown: true },
  { name: 'tools', route: () => '/tools?name=sql_query&server=sql', sign: 'Done', shown: true },
  { name: 'resources', route: () => '/resources?name=note://bulletin&server=lab', sign: 'Watch for changes' },
  { name: 'prompts', route: () => '/prompts?name=lab_greet&server=lab', sign: 'Get the prompt' },
  { name: 'chat-welcome', route: () => '/chat', sign: 'Take the tour', shown: true },
  { name: 'tasks', route: () => '/tasks', sign: /Calls that servers work on by themselves\.|tasks? under way\./ },
  { name: 'timeline', route: timelineRoute, sign: 'tools/call', shown: true },
  { name: 'timeline-charts', route: () => '/timeline?view=charts', sign: 'Response time', shown: true },
  { name: 'timeline-recordings', route: () => '/timeline?view=recordings', sign: 'Recordings' },
  { name: 'policy', route: () => '/policy?tab=explain', sign: /decides/, shown: true, prepare: explainVault },
  { name: 'policy-rules', route: () => '/policy', sign: 'Add rule' },
  { name: 'policy-remembered', route: () => '/policy?tab=remembered', sign: 'Policy and audit' },
  { name: 'policy-shadow', route: () => '/policy?tab=shadow', sign: 'Policy and audit' },
  { name: 'policy-audit', route: () => '/policy?tab=audit', sign: 'Verify the log' },
]

/** How a call is answered whose task was cancelled. */
const CANCELLED = /status of 499/

/** While something waits for an answer. */
const ASKED: readonly Look[] = [
  { name: 'chat', route: tourRoute, sign: 'Waits for you', shown: true },
  { name: 'inbox', route: inboxRoute, sign: /questions wait/, shown: true },
  { name: 'task', route: taskRoute, sign: 'What happened', shown: true, expects: CANCELLED },
]

/** Each screen in every view; in the short form in one, and the next screen in the next, so that each view is seen. */
export function createLooks(isShort: boolean): readonly Trial[] {
  const viewsOf = (at: number) => (isShort ? VIEWS.slice(at % VIEWS.length).slice(0, 1) : VIEWS)
  return [
    { name: 'looks: something to look at', always: true, run: prepare },
    ...[...LOOKS, ...ASKED].map((look, at) => toTrial(look, viewsOf(at))),
  ]
}

interface View {
  readonly width: Width
  readonly theme: Theme
}

const VIEWS: readonly View[] = (['desktop', 'phone'] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((theme) => ({ width, theme })),
)

/** After whatever looks at the screens as they were prepared. */
export const settleTrials: readonly Trial[] = [
  { name: 'looks: what waited is answered', always: true, expects: CANCELLED, run: settle },
]

const BEST = `SELECT p.name, sum(i.quantity) AS sold, p.price_cents
FROM order_items i JOIN products p ON p.id = i.product_id
GROUP BY p.id ORDER BY sold DESC, p.name LIMIT 5`

const RULES = [
  { id: 'shop', outcome: 'allow', because: 'The sample shop is for trying things.', effect: ['call'], server: ['sql'] },
  { id: 'no-vault', outcome: 'deny', because: 'The vault stays closed.', effect: ['call'], item: ['*vault*'] },
  { id: 'own-notes', outcome: 'ask', effect: ['flow'], server: ['memory'] },
]

let tour = ''

async function prepare(site: Site): Promise<void> {
  const { page, show, call } = site
  await site.look('light', 'desktop')
  await show('/tools?name=sql_query&server=sql')
  await page.getByLabel(/^sql/i).first().fill(BEST)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('region', { name: 'Run' }).getByText('Done', { exact: true }).waitFor()
  await call('policy.set', { rules: RULES })
  // What was tried before is no ornament.
  for (const { id } of (await call('chat.list')).chats) await call('chat.delete', { id })
}

async function settle({ call, show }: Site): Promise<void> {
  await show('/servers')
  await until(async () => {
    const { questions } = await call('inbox.list')
    for (const { id, body } of questions) {
      const action = body.kind === 'approval' ? 'allow' : 'deny'
      await call('inbox.answer', { id, answer: { action, by: 'workbench' } }).catch(() => {})
    }
    return questions.length === 0 && (tour === '' || !(await call('chat.open', { id: tour })).busy)
  }, 'everything is answered')
  await call('policy.set', { rules: [] })
  for (const { label } of (await call('tasks.list')).tasks) await call('tasks.forget', { label })
  if (tour === '') return
  const { parts } = await call('chat.open', { id: tour })
  const failed = parts.filter(
    ({ kind, status }: { kind: string; status?: string }) => kind === 'tool' && status !== 'ok',
  )
  assert.deepEqual(failed, [], 'the tour works from beginning to end')
}

function toTrial({ name, route, sign, prepare: act, shown, expects }: Look, views: readonly View[]): Trial {
  return {
    name: `looks: ${name}`,
    ...(expects && { expects }),
    async run(site) {
      const { page } = site
      await site.look('light', 'desktop')
      await site.show(await route(site))
      await page.getByText(sign).filter({ visible: true }).first().waitFor()
      await act?.(site)
      const found: unknown[] = []
      for (const { width, theme } of views) {
        await site.look(theme, width)
        await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' })
        await atRest(site)
        if (shown === true && (width === 'desktop' || theme === 'light')) {
          await site.picture(width === 'desktop' ? `${name}-${theme}` : `${name}-phone`, SHOWN)
        }
        await site.picture(`${name}-${width}-${theme}`)
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide (${width})`)
        // All views before it fails, so that one run shows everything.
        await site.examine(`${name}, ${width}, ${theme}`).catch((error: unknown) => found.push(error))
      }
      if (found.length > 0) throw new AggregateError(found, found.map(String).join('\n'))
    },
  }
}

/** Two frames, and no notice in the corner that comes and goes. */
async function atRest({ page }: Site): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
  })
  await page.locator('.mantine-Skeleton-root').filter({ visible: true }).first().waitFor({ state: 'hidden' })
}

async function explainVault({ page }: Site): Promise<void> {
  const form = page.getByRole('region', { name: 'What happens' })
  await form.getByRole('combobox', { name: 'Server' }).fill('lab')
  await page.keyboard.press('Escape')
  await form.getByLabel('Tool').fill('vault')
  await page.getByText('The vault stays closed.').first().waitFor()
}

async function tourRoute({ page, show }: Site): Promise<string> {
  await show('/chat')
  await page.getByRole('button', { name: 'Start the tour' }).filter({ visible: true }).first().click()
  await page.getByText('Scripted tour').waitFor()
  tour = new URL(page.url()).hash.match(/id=([^&]+)/)?.[1] ?? ''
  return `/chat?id=${tour}`
}

/** The tour's question, and one more. Nobody waits for the answer of the tool here. */
async function inboxRoute(site: Site): Promise<string> {
  const { call } = site
  // Run alone, nothing before it has begun the tour.
  if (tour === '') await tourRoute(site)
  const asked = async () => (await call('inbox.list')).questions
  void call('tools.call', { name: 'everything_ask_form', arguments: {}, run: 'looks-form' }).catch(() => {})
  await until(async () => (await asked()).length > 1, 'the tour asks, and so does the form')
  return `/inbox?id=${(await asked())[0].id}`
}

/** One that works, one that was cancelled, and one that asks. */
async function taskRoute({ call }: Site): Promise<string> {
  const tasks = async (): Promise<{ label: string; tool: string; status: string; question?: string }[]> =>
    (await call('tasks.list')).tasks
  const begin = async (tool: string, count: number): Promise<void> => {
    // Nobody waits for its answer here.
    void call('tools.call', { name: `lab_${tool}`, arguments: {}, run: `looks-${tool}-${count}` }).catch(() => {})
    await until(async () => (await tasks()).filter((task) => task.tool === tool).length === count, `${tool} is a task`)
  }
  await begin('deliver', 1)
  const [first] = await tasks()
  await call('tasks.cancel', { label: first?.label })
  await begin('deliver', 2)
  await begin('order', 1)
  const asking = async () => (await tasks()).find(({ question }) => question !== undefined)
  await until(async () => (await asking()) !== undefined, 'the order asks')
  return `/tasks?id=${(await asking())?.label}`
}

async function timelineRoute({ call }: Site): Promise<string> {
  const { rows } = await call('timeline.query', { filter: 'method:tools/call server:sql kind:request', limit: 1 })
  return `/timeline?id=${rows[0].id}`
}
