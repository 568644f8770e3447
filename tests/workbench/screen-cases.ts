/** The main action of every screen, by hand in the browser, against the servers that come with the program. */

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import type { Locator } from 'playwright-core'
import { type Site, type Theme, until, type Width } from './site.ts'
import type { Trial } from './trial.ts'

export const LAB_SERVER = fileURLToPath(new URL('./lab-server.ts', import.meta.url))
export const RUNNER = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))

/** Can be done again and again. */
const ACTIONS: readonly Trial[] = [
  { name: 'servers: details, doctor and restart', run: tendServer },
  { name: 'tools: a form is filled in, run and kept in the history', run: runTool },
  { name: 'tools: progress is shown, and a run is cancelled', expects: /status of 499/, run: cancelTool },
  { name: 'resources: one is read, watched, and tells of a change', run: readResource },
  { name: 'prompts: a completed argument makes a prompt', run: getPrompt },
  { name: 'tasks: one is seen while it runs, and cancelled', expects: /status of 499/, run: cancelTask },
  { name: 'inbox: a form of a server is answered', run: answerForm },
  { name: 'timeline: filtered to a call, opened, recorded', run: filterTimeline },
  { name: 'policy: a rule is added, explained and saved; the log is verified', run: changePolicy },
]

export const OTHER_LOOKS: readonly (readonly [Theme, Width])[] = [
  ['light', 'phone'],
  ['dark', 'desktop'],
  ['dark', 'phone'],
]

export const screenTrials: readonly Trial[] = [
  { name: 'servers: one is added by hand, allowed in the inbox, and answers', always: true, run: addServer },
  ...ACTIONS,
  { name: 'keyboard: g and a letter, the palette, the help', run: useKeyboard },
  ...OTHER_LOOKS.flatMap((look) => ACTIONS.map((trial) => inLook(trial, look))),
]

/** The same once more, with other colours or less room. */
export function inLook(trial: Trial, [theme, width]: readonly [Theme, Width]): Trial {
  return {
    ...trial,
    name: `${trial.name} (${theme}, ${width})`,
    long: true,
    run: async (site) => {
      await site.look(theme, width)
      try {
        await trial.run(site)
      } finally {
        await site.look('light', 'desktop')
      }
    },
  }
}

export async function addLabServer({ page, show, call }: Site): Promise<void> {
  await show('/servers')
  await page.getByRole('button', { name: 'Add server' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Form' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('lab')
  await dialog.getByLabel('Command', { exact: true }).fill(process.execPath)
  await dialog.getByLabel('Arguments').fill(`${RUNNER}\n${LAB_SERVER}`)
  await dialog.getByRole('button', { name: 'Review' }).click()
  await dialog.getByText('This runs programs on your computer').waitFor()
  await dialog.getByRole('button', { name: 'Add server' }).click()
  const card = page.getByRole('article', { name: 'Server lab' })
  await card.waitFor()
  await until(async () => (await call('inbox.list')).questions.length > 0, 'the host asks before the first start')
  await show('/inbox')
  await page.getByText('Always', { exact: true }).click()
  await page.getByRole('button', { name: /^Allow/ }).click()
  await show('/servers')
  await card.getByText('Ready', { exact: true }).waitFor()
}

async function addServer(site: Site): Promise<void> {
  await addLabServer(site)
  const { items } = await site.call('items.list', { server: 'lab', kind: 'tool' })
  assert.ok(items.length > 0)
}

async function tendServer({ page, show }: Site): Promise<void> {
  await show('/servers')
  const drawer = page.getByRole('dialog')
  await clickUntil(page.getByRole('button', { name: 'Details of lab' }), drawer.getByText('lab-server.ts').first())
  await drawer.getByRole('tab', { name: 'Doctor' }).click()
  await drawer
    .getByText(/handshake|initialize|answers|protocol/i)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Restart lab' }).click()
  await page.getByText('Restarted').first().waitFor()
  await page.getByRole('article', { name: 'Server lab' }).getByText('Ready', { exact: true }).waitFor()
}

/** Clicks until what the click shows is there: cards and rows move while others come in, also under a person's hand. */
async function clickUntil(target: Locator, shown: Locator): Promise<void> {
  const tryOnce = async (): Promise<boolean> => {
    await target.click()
    return shown.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    )
  }
  await until(tryOnce, 'a click shows what it should')
}

/** Chooses an item in the list that is open, by searching for it. */
export async function choose({ page }: Site, search: string, name: string): Promise<void> {
  await page.getByRole('textbox', { name: search }).fill(name)
  await page.getByRole('option').filter({ hasText: name }).first().click()
  await page.getByRole('heading', { level: 2 }).filter({ hasText: name }).waitFor()
}

async function runTool(site: Site): Promise<void> {
  const { page, show } = site
  await show('/tools')
  await choose(site, 'Search tools', 'echo')
  await page
    .getByLabel(/^(text|Text|message)/)
    .first()
    .fill('Olá, porch')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const run = page.getByRole('region', { name: 'Run' })
  await run.getByText('Done', { exact: true }).waitFor()
  await run.getByText('Olá, porch').first().waitFor()
  await page.getByRole('button', { name: /History/ }).click()
  await page.getByRole('dialog').getByText('echo').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}

async function cancelTool(site: Site): Promise<void> {
  const { page, show } = site
  await show('/tools')
  await choose(site, 'Search tools', 'wait')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const run = page.getByRole('region', { name: 'Run' })
  await run.getByText('1 of 3').waitFor()
  await run.getByRole('button', { name: 'Cancel' }).click()
  await run.getByText('It was cancelled; the server has been told.').waitFor()
}

async function cancelTask(site: Site): Promise<void> {
  const { page, show } = site
  await show('/tools')
  await choose(site, 'Search tools', 'deliver')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await show('/tasks')
  const list = page.getByRole('region', { name: 'Tasks', exact: true })
  await list
    .getByRole('button', { name: /deliver.*Working.*on the way/ })
    .first()
    .click()
  const task = page.getByRole('region', { name: 'Task', exact: true })
  await task.getByText(/of lab · 2026-07-28 tasks extension/).waitFor()
  await task.getByRole('button', { name: 'Cancel the task' }).click()
  await task.getByRole('button', { name: 'Take off the list' }).click()
  await page.getByText('No tasks', { exact: true }).waitFor()
}

async function readResource(site: Site): Promise<void> {
  const { page, show, call } = site
  await show('/resources')
  await choose(site, 'Search resources', 'Bulletin')
  await page.getByRole('button', { name: 'Read', exact: true }).click()
  const issue = page.getByText(/Issue \d+ of the bulletin/).first()
  await issue.waitFor()
  const before = (await issue.textContent()) ?? ''
  // The switch turns when the server has agreed.
  const watched = page.getByRole('switch', { name: 'Watch for changes' })
  if (!(await watched.isChecked())) await watched.click()
  await until(() => watched.isChecked(), 'the resource is watched')
  await call('tools.call', { name: 'lab_publish', arguments: {}, run: 'lab-publish' })
  await page.getByRole('button', { name: 'Read again' }).click()
  await until(async () => ((await issue.textContent()) ?? before) !== before, 'the next issue is shown')
}

async function getPrompt(site: Site): Promise<void> {
  const { page, show } = site
  await show('/prompts')
  await choose(site, 'Search prompts', 'greet')
  await page.getByLabel('who').first().fill('ad')
  await page.getByRole('option', { name: 'ada' }).click()
  await page.getByRole('button', { name: 'Get the prompt' }).click()
  await page.getByText('Hello, ada!').waitFor()
}

async function answerForm(site: Site): Promise<void> {
  const { page, show } = site
  await show('/tools')
  await choose(site, 'Search tools', 'ask_form')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  // Answered where the run is, without leaving it.
  const question = page.getByRole('region', { name: 'Question' })
  await question.getByText('Please tell a few things').waitFor()
  await question.getByRole('button', { name: 'Send', exact: true }).click()
  await question.getByLabel('Name', { exact: false }).first().fill('Ada')
  await question.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('region', { name: 'Run' }).getByText('Done', { exact: true }).waitFor()
  await page.getByRole('region', { name: 'Run' }).getByText('Ada').first().waitFor()
}

async function filterTimeline({ page, show, call }: Site): Promise<void> {
  await call('tools.call', { name: 'time_now', arguments: { zone: 'Europe/Lisbon' }, run: 'lab-time' })
  await show('/timeline')
  await page.getByRole('combobox', { name: 'Filter' }).fill('method:tools/call server:time')
  await until(async () => page.url().includes('server%3Atime'), 'the filter is in the address')
  await page.keyboard.press('Escape')
  const row = page.getByRole('listbox', { name: 'Messages' }).getByRole('option').filter({ hasText: 'tools/call' })
  const message = page.getByRole('region', { name: 'Message', exact: true })
  await clickUntil(row.first(), message.getByText('Europe/Lisbon').first())
  const recordings = async (): Promise<number> => (await call('timeline.recordings')).recordings.length
  const before = await recordings()
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  await call('tools.call', { name: 'time_now', arguments: { zone: 'Asia/Tokyo' }, run: 'lab-time-2' })
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await until(async () => (await recordings()) === before + 1, 'there is a recording')
  await page.getByText('Recordings', { exact: true }).click()
  await page
    .getByText(/\.jsonl?\b|messages/)
    .first()
    .waitFor()
}

async function changePolicy({ page, show, call }: Site): Promise<void> {
  await show('/policy')
  await page.getByRole('button', { name: 'Add rule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Name/).fill('no-time')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Test in Explain' }).click()
  await page
    .getByRole('region', { name: 'What the rules say' })
    .getByText(/decides/)
    .first()
    .waitFor()
  await page.getByRole('tab', { name: /^Rules/ }).click()
  await page.getByRole('button', { name: 'Save rules' }).click()
  await until(
    async () => (await call('policy.get')).rules.some(({ id }: { id: string }) => id === 'no-time'),
    'the rule is kept',
  )
  await call('policy.set', { rules: [] })
  await page.getByRole('tab', { name: 'Audit' }).click()
  await page.getByRole('button', { name: 'Verify the log' }).click()
  await page.getByText(/none changed/).waitFor()
}

async function useKeyboard({ page, show }: Site): Promise<void> {
  await show('/servers')
  await page.getByRole('heading', { level: 1, name: 'Servers' }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.keyboard.press('ControlOrMeta+k')
  await page
    .getByPlaceholder(/Find|Search|Go/)
    .last()
    .fill('Policy')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Policy and audit' }).waitFor()
}
