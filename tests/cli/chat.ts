/**
 * `portico chat` in a real terminal, before the scripted provider: every way of answering a question, a server's own
 * questions, and what Ctrl-C does.
 */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Script, type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import type { Trial } from '../support/suite.ts'
import { missingTmux, openScreen, type Screen } from '../support/tmux.ts'
import { BINARY } from './binary.ts'

const FIXTURE = fileURLToPath(new URL('../../packages/app/test/fixture-server.mjs', import.meta.url))

const greet = (name: string) => ({ calls: [{ name: 'desk_greet', arguments: { name } }] })
const SCRIPT: Script = {
  replies: [{ text: 'Nothing was scripted for that.' }],
  topics: {
    'say hello': [greet('Ada'), { text: 'I have greeted her.' }],
    'ask me': [{ calls: [{ name: 'desk_ask', arguments: {} }] }, { text: 'Thank you for telling.' }],
    'let it think': [{ calls: [{ name: 'desk_think', arguments: {} }] }, { text: 'It has thought.' }],
    'What now?': [{ text: 'Rest a while.' }],
    'Edited words': [{ text: 'As you say.' }],
    'wait for it': [{ calls: [{ name: 'desk_wait', arguments: {} }] }, { text: 'It is over.' }],
    'talk on': [{ text: 'and on and on ', endless: true }],
  },
}

interface Desk {
  readonly screen: Screen
  readonly provider: ScriptedProvider
  readonly folder: string
  /** What the server wrote down. */
  notes(): string
}

/** A home of its own with one server and one model, and `portico chat` up to its prompt. */
async function atTheDesk(work: (desk: Desk) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-chat-'))
  const provider = await startScriptedProvider(SCRIPT)
  const notes = join(folder, 'notes.txt')
  await mkdir(join(folder, 'config'))
  const config = {
    servers: { desk: { command: process.execPath, args: [FIXTURE, notes] } },
    models: { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: provider.url } },
  }
  await writeFile(join(folder, 'config', 'portico.json'), JSON.stringify(config))
  const env = { HOME: folder, PORTICO_STATE_DIR: join(folder, 'state'), PORTICO_CONFIG_DIR: join(folder, 'config') }
  const screen = openScreen(env, folder)
  const read = (): string => (existsSync(notes) ? readFileSync(notes, 'utf8') : '')
  try {
    await work({ screen, provider, folder, notes: read })
  } finally {
    screen.close()
    await provider.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

/** Starts a conversation; the first time, the connection is asked about. */
async function begin({ screen }: Desk, connect = 'a'): Promise<void> {
  screen.mark()
  screen.line(`${process.execPath} ${BINARY} chat`)
  await screen.until(/Connect desk\?[\s\S]*fixture-server\.mjs[\s\S]*›/)
  screen.line(connect)
  await screen.until(/scripted with 7 tools of 1 server\b[\s\S]*›/)
}

async function send({ screen }: Desk, text: string, shows: RegExp): Promise<void> {
  screen.mark()
  screen.line(text)
  await screen.until(shows)
}

/** Takes away what is in the line, and sees that it is gone. */
async function clear({ screen }: Desk): Promise<void> {
  screen.press('C-u')
  await screen.until(/arguments:$/)
}

async function leave({ screen, notes }: Desk): Promise<void> {
  // Between prompts the key would be the shell's, and nobody would see it.
  await screen.until(/›\s*$/)
  screen.mark()
  screen.press('C-d')
  await screen.until(/\$$/)
  assert.deepEqual(screen.children(), [], 'a process was left')
  assert.match(notes(), /ended\n$/)
}

const trial = (name: string, run: (desk: Desk) => Promise<void>): Trial => ({
  name: `chat: ${name}`,
  missing: missingTmux,
  run: () => atTheDesk(run),
})

const CALL_QUESTION = /Call greet of desk\?[\s\S]*"name": "Ada"[\s\S]*\[y\] Allow.*›/

export const trials: readonly Trial[] = [
  trial('a call is shown, asked about and approved', async (desk) => {
    await begin(desk)
    await send(desk, 'say hello', CALL_QUESTION)
    assert.doesNotMatch(desk.notes(), /call greet/, 'it was called before the yes')
    await send(desk, 'y', /ok.*Hello, [\s\S]*I have greeted her\.[\s\S]*›/)
    assert.match(desk.notes(), /call greet \{"name":"Ada"\}/)
    await leave(desk)
  }),
  trial('a yes for the session is remembered, and one for always outlives it', async (desk) => {
    await begin(desk)
    await send(desk, 'say hello', CALL_QUESTION)
    await send(desk, 's', /I have greeted her\.[\s\S]*›/)
    await send(desk, 'say hello', /I have greeted her\.[\s\S]*›/)
    await leave(desk)
    desk.screen.mark()
    // The connection was approved for always: no question this time.
    desk.screen.line(`${process.execPath} ${BINARY} chat`)
    await desk.screen.until(/scripted with 7 tools of 1 server\b[\s\S]*›/)
    assert.doesNotMatch(desk.screen.text().split('chat').at(-1) ?? '', /Connect desk/)
    await send(desk, 'say hello', CALL_QUESTION)
    await send(desk, 'a', /I have greeted her\.[\s\S]*›/)
    await leave(desk)
    desk.screen.mark()
    desk.screen.line(`${process.execPath} ${BINARY} chat`)
    await desk.screen.until(/scripted with 7 tools/)
    await send(desk, 'say hello', /I have greeted her\.[\s\S]*›/)
    await leave(desk)
  }),
  trial('a call that is denied does not happen, and the model is told', async (desk) => {
    await begin(desk)
    await send(desk, 'say hello', CALL_QUESTION)
    await send(desk, 'n', /denied[\s\S]*A person said no[\s\S]*I have greeted her\.[\s\S]*›/)
    assert.doesNotMatch(desk.notes(), /call greet/)
    assert.match(JSON.stringify(desk.provider.requests.at(-1)?.messages), /Not allowed/)
    await leave(desk)
  }),
  trial('arguments are edited before they are sent', async (desk) => {
    await begin(desk)
    await send(desk, 'say hello', CALL_QUESTION)
    await send(desk, 'e', /arguments: \{"name":"Ada"\}/)
    await clear(desk)
    await send(desk, '{"name": }', /This is not JSON yet[\s\S]*arguments: /)
    await clear(desk)
    await send(desk, '{"name":"Grace"}', /I have greeted her\.[\s\S]*›/)
    assert.match(desk.notes(), /call greet \{"name":"Grace"\}/)
    await leave(desk)
  }),
  trial('a wrong answer is asked again', async (desk) => {
    await begin(desk)
    await send(desk, 'say hello', CALL_QUESTION)
    await send(desk, 'perhaps', /Answer with y, n, e, s, a/)
    await send(desk, 'y', /I have greeted her\./)
    await leave(desk)
  }),
  trial("a server's sampling request is reviewed, edited and refused", async (desk) => {
    await begin(desk)
    await send(desk, 'let it think', /Call think of desk/)
    await send(desk, 's', /desk wants to use your model[\s\S]*user: What now\?[\s\S]*›/)
    await send(desk, 'y', /Rest a while[\s\S]*It has thought\./)
    await send(desk, 'let it think', /wants to use your model[\s\S]*›/)
    await send(desk, 'e', /text: What now\?/)
    desk.screen.press('C-u')
    await send(desk, 'Edited words', /As you say[\s\S]*It has thought\./)
    await send(desk, 'let it think', /wants to use your model[\s\S]*›/)
    await send(desk, 'n', /It has thought\./)
    assert.equal(desk.notes().match(/answer .*Rest a while/g)?.length, 1)
    assert.equal(desk.notes().match(/answer .*"code"/g)?.length, 1)
    await leave(desk)
  }),
  trial("a server's form is filled in, declined and left", async (desk) => {
    await begin(desk)
    await send(desk, 'ask me', /Call ask of desk/)
    await send(desk, 's', /desk asks: Who are you\?[\s\S]*Name:/)
    await send(desk, '', /This field is required[\s\S]*Name:/)
    await send(desk, 'Ada', /Send it[\s\S]*›/)
    await send(desk, 'y', /Thank you for telling\./)
    assert.match(desk.notes(), /answer \{"action":"accept","content":\{"who":"Ada"\}\}/)
    await send(desk, 'ask me', /Name:/)
    await send(desk, 'Ada', /Send it[\s\S]*›/)
    await send(desk, 'n', /Thank you for telling\./)
    assert.match(desk.notes(), /answer \{"action":"decline"\}/)
    await send(desk, 'ask me', /Name:/)
    desk.screen.mark()
    desk.screen.press('C-d')
    await desk.screen.until(/Thank you for telling\./)
    assert.match(desk.notes(), /answer \{"action":"cancel"\}/)
    await leave(desk)
  }),
  trial('Ctrl-C cancels the call under way, and the conversation goes on', async (desk) => {
    await begin(desk)
    await send(desk, 'wait for it', /Call wait of desk/)
    await send(desk, 'y', /wait 1\/9 waiting/)
    desk.screen.mark()
    desk.screen.press('C-c')
    await desk.screen.until(/cancelled[\s\S]*Cancelled\.[\s\S]*›/)
    assert.match(desk.notes(), /cancelled/)
    await send(desk, 'say hello', CALL_QUESTION)
    await send(desk, 'y', /I have greeted her\./)
    await leave(desk)
  }),
  trial('Ctrl-C at a question withdraws it with its turn', async (desk) => {
    await begin(desk)
    await send(desk, 'say hello', CALL_QUESTION)
    desk.screen.mark()
    desk.screen.press('C-c')
    await desk.screen.until(/Cancelled\.[\s\S]*›/)
    assert.doesNotMatch(desk.notes(), /call greet/)
    await leave(desk)
  }),
  trial('Ctrl-C stops words that do not end, and leaves at the prompt', async (desk) => {
    await begin(desk, 'y')
    await send(desk, 'talk on', /on and on and on/)
    desk.screen.mark()
    desk.screen.press('C-c')
    await desk.screen.until(/Cancelled\.[\s\S]*›/)
    desk.screen.press('C-c')
    await desk.screen.until(/\$$/)
    assert.deepEqual(desk.screen.children(), [])
  }),
  trial('commands of the conversation itself', async (desk) => {
    await begin(desk, 'y')
    await send(desk, '/help', /\/attach[\s\S]*›/)
    await send(desk, '/tools greet', /desk_greet/)
    await send(desk, '/servers', /desk: ready/)
    await send(desk, '/model', /\* scripted/)
    await send(desk, '/attach note://one', /Read a resource of desk\?[\s\S]*note:\/\/one[\s\S]*›/)
    await send(desk, 'y', /will be sent with your next message/)
    await send(desk, '/nonsense', /There is no \/nonsense/)
    desk.screen.mark()
    desk.screen.line('/quit')
    await desk.screen.until(/\$$/)
    assert.deepEqual(desk.screen.children(), [])
  }),
  trial('a refused connection leaves the conversation without its tools', async ({ screen }) => {
    screen.line(`${process.execPath} ${BINARY} chat`)
    await screen.until(/Connect desk\?[\s\S]*›/)
    screen.mark()
    screen.line('n')
    await screen.until(/scripted with 0 tools of 0 servers[\s\S]*A person said no[\s\S]*›/)
    screen.press('C-d')
    await screen.until(/\$$/)
  }),
]
