/** What takes several screens: servers from elsewhere, signing in, a change that is looked at, a replay, attachments. */

import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startScriptedProvider } from '@portico/host/model'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import type { Locator } from 'playwright-core'
import { serveProtected } from './protected-server.ts'
import { choose, inLook, LAB_SERVER, OTHER_LOOKS, RUNNER } from './screen-cases.ts'
import { type Site, until } from './site.ts'
import type { Trial } from './trial.ts'

/** Looks closely at what is on the page now: a name for people, and one for the picture. */
type See = (what: string, picture: string) => Promise<void>

interface Flow extends Omit<Trial, 'run'> {
  run(site: Site, see: See): Promise<void>
}

const FLOWS: readonly Flow[] = [
  { name: 'registry: an entry is found, looked at, named and added', expects: /status of 502/, run: addFromRegistry },
  { name: 'import: servers of another program are chosen and taken over', run: importServers },
  { name: 'sign-in: a protected server is signed in to and out of', run: signIn },
  { name: 'quarantine: changed definitions are compared, kept blocked, approved', run: approveChanges },
  { name: 'replay: a session is recorded, saved as a test and played as a server', run: replay },
  { name: 'attach: a resource and a prompt go along with a message', run: attach },
]

export const flowTrials: readonly Trial[] = [
  // A close look takes longer than the flow itself; the long run has it.
  ...FLOWS.map((flow) => ({ ...flow, run: (site: Site) => flow.run(site, async () => {}) })),
  ...OTHER_LOOKS.flatMap((look) => FLOWS.map((flow) => inLook({ ...flow, run: closely(flow, look.join('-')) }, look))),
]

function closely({ run }: Flow, look: string): Trial['run'] {
  return (site) =>
    run(site, async (what, picture) => {
      await site.picture(`${picture}-${look}`)
      await site.examine(what)
    })
}

async function addFromRegistry(site: Site, see: See): Promise<void> {
  const { registry } = site
  const paper = createServer({
    name: 'paper',
    version: '1.2.0',
    tools: { headline: tool({ description: 'Tells the news' }, () => 'Porch found under portico') },
  })
  const served = await serveHttp(paper, { port: 0 })
  const npm = { registryType: 'npm', identifier: '@example/paper', version: '1.2.0' }
  const secret = { name: 'PAPER_KEY', isRequired: true, isSecret: true }
  registry.entries = [
    {
      name: 'io.example/lab',
      description: 'The morning paper',
      version: '1.2.0',
      repository: { url: 'https://code.example/paper' },
      packages: [{ ...npm, environmentVariables: [secret] }],
      remotes: [{ type: 'streamable-http', url: served.url }],
    },
  ]
  try {
    const dialog = await openAdding(site, 'Registry')
    const search = dialog.getByLabel('Search the registry')
    await search.fill('nothing-like-it')
    await dialog.getByText('No server found for “nothing-like-it”').waitFor()
    await search.fill(registry.broken)
    await dialog.getByText(/cannot be searched/).waitFor()
    await search.fill('lab')
    await dialog.getByText('The morning paper').waitFor()
    await dialog.getByRole('link', { name: 'Source at code.example' }).waitFor()
    await see('the registry', 'flow-registry')
    await dialog.getByRole('button', { name: 'Review npm @example/paper' }).click()
    await dialog.getByText('This runs programs on your computer').waitFor()
    await dialog.getByText(/npx -y @example\/paper@1\.2\.0/).waitFor()
    await see('an entry of the registry', 'flow-registry-review')
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('button', { name: `Review ${served.url}` }).click()
    await dialog.getByText('This sends what your model writes to another machine').waitFor()
    // The name that the entry suggests is taken.
    const name = dialog.getByRole('textbox', { name: 'Name' })
    assert.equal(await name.inputValue(), 'lab-2')
    await name.fill('lab')
    await dialog.getByText('There is a server of that name already').waitFor()
    await name.fill('paper')
    await dialog.getByRole('button', { name: 'Add server' }).click()
    await admit(site, 'paper')
    await runTool(site, 'paper_headline', 'Porch found under portico')
    await remove(site, 'paper')
  } finally {
    await served.close()
  }
}

async function importServers(site: Site, see: See): Promise<void> {
  const { page, program, call } = site
  const file = join(program.folder, 'home', '.cursor', 'mcp.json')
  const theirs = {
    lab: { command: 'some-other-lab' },
    desk: { command: process.execPath, args: [RUNNER, LAB_SERVER] },
    risky: { command: 'npx', args: ['-y', 'some-package'] },
  }
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, JSON.stringify({ mcpServers: theirs }))
  const before = await readFile(file, 'utf8')
  const dialog = await openAdding(site, 'From other programs')
  const cursor = dialog.getByRole('region', { name: 'Cursor' })
  await cursor.getByText('already here').waitFor()
  assert.ok(await cursor.getByRole('checkbox', { name: 'lab' }).isDisabled())
  await cursor.getByText(/some-package.*to look at/).waitFor()
  await see('the servers of other programs', 'flow-import')
  await cursor.getByRole('checkbox', { name: 'risky' }).uncheck()
  await cursor.getByRole('button', { name: 'Review the one chosen' }).click()
  await dialog.getByRole('region', { name: 'Server desk' }).getByText(LAB_SERVER).waitFor()
  await dialog.getByRole('button', { name: 'Add server' }).click()
  await admit(site, 'desk')
  assert.equal(await readFile(file, 'utf8'), before, 'the other program keeps its file')
  assert.equal(await page.getByRole('article', { name: 'Server risky' }).count(), 0)
  await runTool(site, 'desk_vault', 'hyacinth')
  const { items } = await call('items.list', { server: 'desk', kind: 'prompt' })
  assert.equal(items.length, 1)
  await remove(site, 'desk')
}

async function signIn(site: Site, see: See): Promise<void> {
  const { page, context, show } = site
  const protectedServer = await serveProtected()
  try {
    const dialog = await openAdding(site, 'Form')
    await dialog.getByText('A web address').click()
    await dialog.getByLabel('Name', { exact: true }).fill('diary')
    await dialog.getByRole('textbox', { name: 'Address' }).fill(protectedServer.url)
    await dialog.getByRole('button', { name: 'Review' }).click()
    await dialog.getByRole('button', { name: 'Add server' }).click()
    await admit(site, 'diary', 'Needs sign-in')
    const card = page.getByRole('article', { name: 'Server diary' })
    await card.getByRole('button', { name: 'Sign in', exact: true }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText(`${new URL(protectedServer.issuer).host} waits for you`).waitFor()
    await see('a sign-in that waits', 'flow-sign-in')
    const [provider] = await Promise.all([
      context.waitForEvent('page'),
      drawer.getByRole('link', { name: 'Open the page' }).click(),
    ])
    assert.equal(await provider.evaluate(() => window.opener), null, 'the page cannot reach back')
    await provider.getByLabel('Password').fill(protectedServer.password)
    await provider.getByRole('button', { name: 'Sign in' }).click()
    await provider.getByRole('button', { name: 'Allow' }).click()
    await provider.getByText('You can close this page').waitFor()
    await provider.close()
    await drawer.getByText('The server accepted the token').last().waitFor()
    await drawer.getByText(/waits for you/).waitFor({ state: 'hidden' })
    await drawer.getByText('Ready', { exact: true }).waitFor()
    await see('a sign-in that is over', 'flow-signed-in')
    await runTool(site, 'diary_whoami', 'owner.')
    await show('/servers?open=diary&tab=sign-in')
    await drawer.getByRole('button', { name: 'Sign out' }).click()
    await drawer.getByText('Needs sign-in', { exact: true }).first().waitFor()
    await remove(site, 'diary')
  } finally {
    await protectedServer.close()
  }
}

const CHANGING_SERVER = LAB_SERVER.replace('lab-server.ts', 'changing-server.ts')

let changed = 0

async function approveChanges(site: Site, see: See): Promise<void> {
  const { page, show, call } = site
  // What was approved of a server is remembered under its name.
  const name = `changing-${++changed}`
  await call('servers.add', {
    name,
    entry: { command: process.execPath, args: [RUNNER, CHANGING_SERVER] },
  })
  await show('/servers')
  await admit(site, name)
  await runTool(site, `${name}_update`, 'Edition 2 is there.')
  await show('/servers')
  const card = page.getByRole('article', { name: `Server ${name}` })
  await card.getByText('Changed', { exact: true }).waitFor()
  await see('a server that changed', 'flow-changed')
  // The tool says so as well, and cannot be run.
  await show(`/tools?name=${name}_forecast&server=${name}`)
  await page.getByText('Changed since you allowed it; it cannot be used').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled())
  await see('a tool that changed', 'flow-changed-tool')
  // One is denied in the inbox, and the other allowed there.
  await show('/inbox')
  await openQuestion(site, `${name} changed ${name}_alerts`)
  await page
    .getByText(/read ~\/\.ssh\/id_rsa/)
    .first()
    .waitFor()
  await see('the question about a change', 'flow-changed-question')
  await page.getByRole('button', { name: 'Deny' }).click()
  await openQuestion(site, `${name} changed ${name}_forecast`)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('Nothing waits for you').waitFor()
  await runTool(site, `${name}_forecast`, 'sun')
  await show('/servers')
  await card.getByRole('button', { name: 'Compare' }).click()
  const drawer = page.getByRole('dialog')
  const change = drawer.getByRole('region', { name: 'Change of alerts' })
  await change.getByText('Before', { exact: true }).waitFor()
  await change.getByText('Tells of storms.').first().waitFor()
  await change.getByText(/read ~\/\.ssh\/id_rsa/).waitFor()
  await see('a change side by side', 'flow-compare')
  await change.getByRole('button', { name: 'Allow this change' }).click()
  await drawer.getByText('Nothing changed').waitFor()
  await drawer.getByText('Ready', { exact: true }).waitFor()
  await runTool(site, `${name}_alerts`, 'no storm')
  await remove(site, name)
}

async function replay(site: Site, see: See): Promise<void> {
  const { page, show } = site
  await show('/timeline')
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  const stop = page.getByRole('button', { name: 'Stop recording' })
  await stop.waitFor()
  await runTool(site, 'lab_vault', 'hyacinth')
  // Whoever loads the page anew still sees that it is being recorded.
  await page.reload()
  await show('/timeline')
  await stop.click()
  await page.getByText(/\d+ messages recorded/).waitFor()
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Recordings').click()
  const recording = page.getByRole('listitem').filter({ hasText: '.jsonl' }).first()
  await recording.getByRole('button', { name: 'Save as a test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('client.callTool("vault"').waitFor()
  await see('a recording as a test', 'flow-recording-test')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: /^Download/ }).click(),
  ])
  assert.match(download.suggestedFilename(), /\.test\.ts$/)
  assert.ok((await readFile(await download.path(), 'utf8')).includes('client.callTool("vault"'))
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await recording.getByRole('button', { name: 'Play as a server' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('Ready', { exact: true }).waitFor()
  await see('a recording as a server', 'flow-replay')
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  // The real one is away, and the recording answers.
  await fromMenu(site, 'lab', 'Disable')
  await page.getByRole('article', { name: 'Server lab' }).getByText('Disabled', { exact: true }).waitFor()
  try {
    await runTool(site, 'replay-session_lab_vault', 'hyacinth')
  } finally {
    await show('/servers')
    const lab = page.getByRole('article', { name: 'Server lab' })
    await lab.getByRole('button', { name: 'Enable' }).click()
    await lab.getByText('Ready', { exact: true }).waitFor()
  }
  await remove(site, 'replay-session')
}

async function attach(site: Site, see: See): Promise<void> {
  const { page, show, call } = site
  const provider = await startScriptedProvider({ replies: [{ text: 'I have read all of it.' }] })
  const model = `reader-${new URL(provider.url).port}`
  const attached = page.getByRole('list', { name: 'Attached' })
  const message = page.getByRole('textbox', { name: 'Message' })
  try {
    await call('chat.addModel', { id: model, url: provider.url, model: 'scripted' })
    await show('/chat')
    await page.reload()
    await page.getByRole('button', { name: 'New conversation' }).filter({ visible: true }).first().click()
    await pickModel(site, model)
    const dialog = await openAttaching(site)
    await dialog.getByLabel('Search').fill('bulletin')
    await see('what can be attached', 'flow-attach')
    await dialog.getByRole('button', { name: /^Bulletin *lab/ }).click()
    await openAttaching(site)
    await dialog.getByText('Prompts', { exact: true }).click()
    await dialog.getByRole('button', { name: /^greet *lab/ }).click()
    await dialog.getByLabel('who').fill('ad')
    await page.getByRole('option', { name: 'ada' }).click()
    // A prompt is seen before it is said.
    await dialog.getByRole('button', { name: 'Show', exact: true }).click()
    await dialog.getByText('Hello, ada!').first().waitFor()
    await dialog.getByRole('button', { name: 'Attach', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await attached.getByRole('listitem').count(), 2)
    await see('a message with attachments', 'flow-attached')
    await message.fill('What do these say?')
    await page.keyboard.press('Enter')
    await page.getByText('I have read all of it.').waitFor()
    const sent = JSON.stringify(provider.requests)
    assert.match(sent, /Issue \d+ of the bulletin/)
    assert.match(sent, /Hello, ada!/)
    await page
      .getByRole('log', { name: 'Conversation' })
      .getByText(/note:\/\/bulletin · lab/)
      .waitFor()
    await see('attachments that were sent', 'flow-attachments-sent')
    // From the other end: a resource is open, and a chat is wanted with it; then it is left out after all.
    await show('/resources')
    await choose(site, 'Search resources', 'Bulletin')
    await page.getByRole('button', { name: 'Use in a chat' }).click()
    await page.getByText(/bulletin goes along with your next message/).waitFor()
    await page.getByRole('button', { name: 'New conversation' }).filter({ visible: true }).first().click()
    await attached.getByText(/bulletin$/).waitFor()
    await page.getByRole('button', { name: /^Do not attach .*bulletin$/ }).click()
    await attached.waitFor({ state: 'hidden' })
  } finally {
    await provider.close()
  }
}

async function openAttaching({ page }: Site): Promise<Locator> {
  await page.getByRole('button', { name: 'Attach a resource or prompt' }).click()
  const dialog = page.getByRole('dialog', { name: 'Attach' })
  await dialog.waitFor()
  return dialog
}

async function pickModel({ page }: Site, model: string): Promise<void> {
  await page
    .getByRole('combobox', { name: 'Model' })
    .or(page.getByRole('textbox', { name: 'Model' }))
    .first()
    .click()
  await page.getByRole('option', { name: model }).click()
}

async function openAdding({ page, show }: Site, way: string): Promise<Locator> {
  await show('/servers')
  await page.getByRole('button', { name: 'Add server' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: way }).click()
  return dialog
}

/** From the card of a server to the question about it, and back when it is as told; one that was here before is let in. */
async function admit({ page, show }: Site, name: string, state = 'Ready'): Promise<void> {
  const card = page.getByRole('article', { name: `Server ${name}` })
  const look = card.getByRole('button', { name: 'Review' })
  const reached = card.getByText(state, { exact: true })
  await look.or(reached).first().waitFor()
  if (!(await look.isVisible())) return
  await look.click()
  await page.getByRole('heading', { name: `Start or contact ${name}?` }).waitFor()
  await page.getByText('Always', { exact: true }).click()
  await page.getByRole('button', { name: /^Allow/ }).click()
  await show('/servers')
  await reached.waitFor()
}

async function openQuestion({ page }: Site, title: string): Promise<void> {
  const open = page.getByRole('heading', { level: 2, name: title })
  const row = page.getByRole('button', { name: title })
  await open.or(row).first().waitFor()
  // Once the one before it is answered, it opens by itself, and there is no row left to click.
  if (!(await open.isVisible())) await row.click({ timeout: 2_000 }).catch(() => {})
  await open.waitFor()
}

async function runTool({ page, show }: Site, name: string, answer: string): Promise<void> {
  await show(`/tools?name=${name}`)
  await page.getByText(name, { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const run = page.getByRole('region', { name: 'Run' })
  await run.getByText('Done', { exact: true }).waitFor()
  await run.getByText(answer).first().waitFor()
}

async function fromMenu({ page, show }: Site, server: string, item: string): Promise<void> {
  await show('/servers')
  await page.getByRole('button', { name: `More about ${server}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

async function remove(site: Site, server: string): Promise<void> {
  const { page, call } = site
  await fromMenu(site, server, 'Remove')
  const dialog = page.getByRole('dialog', { name: `Remove ${server}?` })
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('article', { name: `Server ${server}`, exact: true }).waitFor({ state: 'hidden' })
  await until(async () => {
    const { servers } = await call('servers.list')
    return servers.every(({ name }: { name: string }) => name !== server)
  }, `${server} is gone`)
}
