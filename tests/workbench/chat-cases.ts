/** The chat, with a scripted model behind real HTTP: every way in which a person has a say in what it does. */

import assert from 'node:assert/strict'
import { type Script, type ScriptedProvider, type ScriptedReply, startScriptedProvider } from '@portico/host/model'
import type { Locator } from 'playwright-core'
import { type Site, until } from './site.ts'
import type { Trial } from './trial.ts'

const SECRET = 'the vault opens with 7731-hyacinth'
const say = (text: string): ScriptedReply => ({ calls: [{ name: 'lab_say', arguments: { text } }] })
/** More than a page, with what matters on the last line. */
const LONG = `${Array.from({ length: 300 }, (_, line) => `print(${line})`).join('\n')}\nremove_everything()`
const call = (name: string, args = {}): ScriptedReply => ({ calls: [{ name, arguments: args }] })

const SCRIPT: Script = {
  replies: [{ text: 'A model said this to a server.' }],
  topics: {
    'deny this': [say('never'), { text: 'You said no.' }],
    'edit this': [say('rude words'), { text: 'It was changed.' }],
    'run long code': [say(LONG), { text: 'All of it was read.' }],
    'what time is it': [call('time_now', {}), call('time_now', {}), { text: 'It is late.' }],
    'remember this': [say('again'), { text: 'First time done.' }],
    'remembered already': [say('once more'), { text: 'Nobody was asked.' }],
    'sample something': [call('everything_sample', { prompt: 'What is a porch?' }), { text: 'Sampled.' }],
    'ask me': [call('everything_ask_form'), { text: 'Form done.' }],
    'talk for ever': [{ text: 'on and on ', endless: true }],
    'open the vault': [call('lab_vault'), { text: 'I know it now.' }],
    'carry it over': [
      call('memory_remember', { entity: 'Vault', fact: SECRET, kind: 'thing' }),
      { text: 'Kept back.' },
    ],
    'use it all up': Array.from({ length: 40 }, (_, step) => say(`step ${step}`)),
  },
  paceMs: 2,
}

let provider: ScriptedProvider | undefined

export const chatTrials: readonly Trial[] = [
  { name: 'chat: a model is added by its address', run: addModel },
  { name: 'chat: a call is denied', run: (site) => talk(site, 'deny this', deny) },
  { name: 'chat: arguments are edited before they are allowed', run: (site) => talk(site, 'edit this', edit) },
  { name: 'chat: long arguments are shown to the last character', run: readAll },
  { name: 'chat: a trusted server’s read-only tool asks nobody (newcomer B14)', run: readOnly },
  { name: 'chat: an approval is remembered', run: remember },
  { name: 'chat: a tool asks the model, and both sides are looked at', run: sample },
  { name: 'chat: a tool asks the person', run: elicit },
  { name: 'chat: an answer is stopped', run: stop },
  { name: 'chat: words of one server do not reach another unasked', run: flow },
  { name: 'chat: the budget ends a conversation that does not end', run: exhaust },
]

async function addModel({ page, show, call }: Site): Promise<void> {
  provider = await startScriptedProvider(SCRIPT)
  await show('/chat')
  await page.getByRole('button', { name: 'Add a model' }).filter({ visible: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add a model' })
  await dialog.getByLabel(/^Address/).fill(provider.url)
  await dialog.getByLabel(/^Model/).fill('scripted')
  await dialog.getByLabel('Name here').fill('local')
  await dialog.getByRole('button', { name: 'Add the model' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const { models } = await call('chat.models')
  assert.ok(models.some(({ id, usable }: { id: string; usable: boolean }) => id === 'local' && usable))
}

/** A new conversation in the page; resolves when the answer is complete. */
async function talk(site: Site, text: string, decide: (card: Locator) => Promise<void>): Promise<void> {
  await begin(site)
  await send(site, text)
  const card = site.page.getByRole('article', { name: /^Tool call/ }).last()
  await card.waitFor()
  await decide(card)
  await atEnd(site)
}

async function begin({ page, show }: Site): Promise<void> {
  await show('/chat')
  await page.getByRole('button', { name: 'New conversation' }).filter({ visible: true }).first().click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
}

async function send({ page }: Site, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

async function atEnd({ page }: Site): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).waitFor()
}

async function approve(card: Locator): Promise<void> {
  await card.getByRole('button', { name: /^Allow/ }).click()
}

async function deny(card: Locator): Promise<void> {
  await card.getByRole('button', { name: 'Deny' }).click()
  await card.getByText('Denied', { exact: true }).waitFor()
  await card.page().getByText('You said no.').waitFor()
}

async function edit(card: Locator): Promise<void> {
  await card.getByRole('button', { name: 'Edit arguments' }).click()
  await card.getByRole('textbox', { name: 'Arguments' }).fill('{"text": "kind words"}')
  await card.getByRole('button', { name: 'Allow with changes' }).click()
  await card.getByText('Done', { exact: true }).waitFor()
  await card.page().getByText('It was changed.').waitFor()
  await card.getByRole('button', { expanded: false }).first().click()
  await card.getByText('said: kind words').first().waitFor()
}

async function readAll(site: Site): Promise<void> {
  await talk(site, 'run long code', async (card) => {
    const text = card.getByRole('group', { name: 'Arguments: text' })
    const next = card.getByRole('button', { name: 'Next page of arguments: text' })
    const rest = card.getByText(/^Still on other pages: [\d,]+ characters of arguments: text\.$/)
    await rest.waitFor()
    let read = (await text.textContent()) ?? ''
    assert.ok(await card.getByRole('button', { name: 'Allow', exact: true }).isEnabled())
    for (let page = 1; await next.isEnabled(); page++) {
      await card.getByText(new RegExp(`^Page ${page} of 8$`)).waitFor()
      await next.click()
      read += await text.textContent()
    }
    assert.equal(read, LONG)
    await rest.waitFor({ state: 'hidden' })
    await approve(card)
    await card.page().getByText('All of it was read.').waitFor()
  })
}

async function readOnly(site: Site): Promise<void> {
  const { page, call } = site
  await begin(site)
  await send(site, 'what time is it')
  await page.getByText('It is late.').waitFor()
  await atEnd(site)
  const cards = page.getByRole('article', { name: /^Tool call: .*now of time/ })
  assert.deepEqual(await cards.getByText('Done', { exact: true }).count(), 2)
  const { records } = await call('audit.search', { query: 'time_now' })
  assert.ok(!JSON.stringify(records).includes('"question"'), 'nobody was asked')
}

async function remember(site: Site): Promise<void> {
  await talk(site, 'remember this', async (card) => {
    await card.getByText('Always', { exact: true }).click()
    await approve(card)
    await site.page.getByText('First time done.').waitFor()
  })
  await begin(site)
  await send(site, 'remembered already')
  await site.page.getByText('Nobody was asked.').waitFor()
  await atEnd(site)
  const { grants } = await site.call('grants.list')
  assert.ok(grants.some(({ words }: { words: string }) => /say/.test(words)))
}

async function sample(site: Site): Promise<void> {
  const { page, call, show } = site
  await talk(site, 'sample something', async (card) => {
    await approve(card)
    const back = page.url()
    await questionOf(site, 'sampling')
    await show('/inbox')
    await page.getByLabel('Prompt').fill('What is a portico?')
    await page.getByRole('button', { name: 'Allow with changes' }).click()
    await questionOf(site, 'sampling-answer')
    await page
      .getByLabel(/^Answer/)
      .first()
      .fill('A porch with columns.')
    await page.getByRole('button', { name: 'Allow with changes' }).click()
    await page.goto(back)
    await page.getByText('Sampled.').waitFor()
  })
  assert.ok(JSON.stringify(provider?.requests).includes('What is a portico?'))
  const { chats } = await call('chat.list')
  const { parts } = await call('chat.open', { id: chats[0].id })
  assert.ok(JSON.stringify(parts).includes('A porch with columns.'))
}

async function elicit(site: Site): Promise<void> {
  const { page, show } = site
  await talk(site, 'ask me', async (card) => {
    await approve(card)
    const back = page.url()
    await questionOf(site, 'form')
    await show('/inbox')
    await page.getByLabel(/^Name/).first().fill('Grace')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Nothing waits for you').waitFor()
    await page.goto(back)
    await page.getByText('Form done.').waitFor()
  })
}

async function questionOf({ call }: Site, kind: string): Promise<void> {
  await until(async () => {
    const { questions } = await call('inbox.list')
    return questions.some(({ body }: { body: { kind: string } }) => body.kind === kind)
  }, `a question of the kind ${kind}`)
}

async function stop(site: Site): Promise<void> {
  const { page } = site
  await begin(site)
  await send(site, 'talk for ever')
  await page
    .getByText(/on and on on and on/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Stop the answer' }).click()
  await atEnd(site)
}

async function flow(site: Site): Promise<void> {
  const { page, call } = site
  await talk(site, 'open the vault', approve)
  await page.getByText('I know it now.').waitFor()
  await send(site, 'carry it over')
  const card = page.getByRole('article', { name: /^Tool call.*memory/ }).last()
  const warned = card.getByText(/Send data of lab to memory/)
  // The call itself may be asked about first.
  await card.getByRole('button', { name: /^Allow/ }).waitFor()
  if (!(await warned.isVisible())) await approve(card)
  await warned.waitFor()
  await card.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('Kept back.').waitFor()
  const { result } = await call('tools.call', { name: 'memory_recall', arguments: { query: 'vault' }, run: 'flow' })
  assert.ok(!JSON.stringify(result).includes('hyacinth'))
}

async function exhaust(site: Site): Promise<void> {
  const { page } = site
  await begin(site)
  await send(site, 'use it all up')
  await page
    .getByText(/budget/i)
    .filter({ visible: true })
    .first()
    .waitFor()
  await atEnd(site)
  assert.equal(await page.getByRole('article', { name: /^Tool call/ }).count(), 20)
  await provider?.close()
}
