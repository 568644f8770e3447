/** What goes along with conversations: pins and projects; and what a server is tuned to while it runs. */

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import { type Site, until } from './site.ts'
import type { Trial } from './trial.ts'

export const projectTrials: readonly Trial[] = [
  { name: 'pins: a resource goes along with every message and is read again only when it changed', run: pinBulletin },
  { name: 'projects: a conversation has the servers, resources and instructions of its project', run: chooseProject },
  { name: 'tuning: folders and the log level of a server are changed while it runs', run: tuneServer },
]

async function pinBulletin(site: Site): Promise<void> {
  const { page, call } = site
  await withModel(site, async (provider, model) => {
    await begin(site, model)
    await page.getByRole('button', { name: 'Attach a resource or prompt' }).click()
    const dialog = page.getByRole('dialog', { name: 'Attach' })
    await dialog.getByLabel('Search').fill('bulletin')
    await dialog.getByRole('button', { name: 'Pin Bulletin' }).click()
    const pins = page.getByRole('list', { name: /^Pinned/ })
    await pins.getByText('note://bulletin').waitFor()
    const before = await countReads(site)
    await say(site, provider, 'first')
    await say(site, provider, 'second')
    assert.equal(await countReads(site), before + 1, 'what did not change is not read again')
    const issue = Number(/Issue (\d+) of the bulletin/.exec(lastOf(provider))?.[1])
    await call('tools.call', { name: 'lab_publish', arguments: {}, run: 'pins' })
    await until(async () => {
      await say(site, provider, 'again')
      return lastOf(provider).includes(`Issue ${issue + 1} of the bulletin`)
    }, 'the next issue goes along')
    await page.reload()
    await pins.getByText('note://bulletin').waitFor()
    await page.getByRole('button', { name: 'Unpin note://bulletin' }).click()
    await pins.waitFor({ state: 'hidden' })
  })
}

async function chooseProject(site: Site): Promise<void> {
  const { page, program, call } = site
  const file = join(program.folder, 'config', 'portico.json')
  const kept = await readFile(file, 'utf8')
  const projects = {
    letters: {
      servers: ['lab'],
      attach: [{ server: 'lab', uri: 'note://bulletin' }],
      instructions: 'Write as one writes letters.',
    },
  }
  await writeFile(file, JSON.stringify({ ...JSON.parse(kept), projects }))
  try {
    await until(async () => (await call('chat.projects')).projects.length === 1, 'the file is read again')
    await withModel(site, async (provider, model) => {
      await page.reload()
      await page.getByRole('combobox', { name: 'Project of the new conversation' }).click()
      await page.getByRole('option', { name: 'letters' }).click()
      await page.getByText('lab · 1 resource attached · instructions').waitFor()
      await begin(site, model)
      await page.getByText('Project letters').first().waitFor()
      await say(site, provider, 'hello')
      const sent = JSON.stringify(provider.requests.at(-1))
      assert.match(sent, /Write as one writes letters\./)
      assert.match(sent, /Issue \d+ of the bulletin/)
      assert.doesNotMatch(sent, /sql_query/)
    })
  } finally {
    await writeFile(file, kept)
  }
}

async function tuneServer({ page, show, call, program }: Site): Promise<void> {
  const card = async () =>
    (await call('servers.list')).servers.find(({ name }: { name: string }) => name === 'everything')
  await show('/servers?open=everything')
  const drawer = page.getByRole('dialog')
  const folder = join(program.folder, 'project')
  await drawer.getByLabel('Folders it may work in').fill(folder)
  await page.keyboard.press('Enter')
  await drawer.getByRole('button', { name: 'Save folders' }).click()
  await until(async () => JSON.stringify(await card()).includes(folder), 'the folder is offered')
  await drawer.getByRole('tab', { name: 'Output' }).click()
  await drawer.getByRole('combobox', { name: 'Log level' }).click()
  await page.getByRole('option', { name: 'Log level: debug' }).click()
  await until(async () => JSON.stringify(await card()).includes('"debug"'), 'the level is asked for')
  await call('servers.tune', { server: 'everything', roots: null, logLevel: null })
}

async function withModel(site: Site, run: (provider: ScriptedProvider, model: string) => Promise<void>): Promise<void> {
  const provider = await startScriptedProvider({ replies: [{ text: 'Understood.' }] })
  const model = `reader-${new URL(provider.url).port}`
  try {
    await site.call('chat.addModel', { id: model, url: provider.url, model: 'scripted' })
    await site.show('/chat')
    await site.page.reload()
    await run(provider, model)
  } finally {
    await provider.close()
  }
}

async function begin({ page }: Site, model: string): Promise<void> {
  await page.getByRole('button', { name: 'New conversation' }).filter({ visible: true }).first().click()
  const choice = page.getByRole('combobox', { name: 'Model' }).or(page.getByRole('textbox', { name: 'Model' }))
  await choice.first().click()
  await page.getByRole('option', { name: model }).click()
}

async function say({ page }: Site, provider: ScriptedProvider, text: string): Promise<void> {
  const before = provider.requests.length
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
  await until(async () => provider.requests.length > before, 'the model is asked')
  await page.getByRole('button', { name: 'Send' }).waitFor()
}

/** What was said last, with what went along. */
function lastOf(provider: ScriptedProvider): string {
  const { messages } = provider.requests.at(-1) as unknown as { readonly messages: readonly unknown[] }
  return JSON.stringify(messages.at(-1))
}

async function countReads({ call }: Site): Promise<number> {
  return (await call('timeline.query', { filter: 'method:resources/read server:lab kind:request' })).total
}
