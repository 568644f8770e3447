/** A bot in a workspace of its own: the service of Slack's shape, a scripted model, two people, and `portico chat-bot` as a process. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Script, type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import { BINARY } from '../cli/binary.ts'
import { freePort } from '../support/free-port.ts'
import { withLimit } from '../support/wait.ts'
import { SlackPerson } from './chat-people.ts'
import { BOT, type Json, SlackService } from './chat-slack-service.ts'

const LAB = fileURLToPath(new URL('./chat-lab-server.ts', import.meta.url))
const MAIN = fileURLToPath(new URL('../../packages/app/src/cli/main.ts', import.meta.url))
/** The built program where there is one, and its source in a checkout that has not been built. */
const PROGRAM = existsSync(BINARY) ? [BINARY] : [...process.execArgv, MAIN]
const START_MS = 120_000
const END_MS = 20_000

export interface ChatPlace {
  readonly slack: SlackService
  readonly provider: ScriptedProvider
  readonly ada: SlackPerson
  readonly ben: SlackPerson
  readonly folder: string
  /** What the lab server wrote. */
  notes(): string
  /** What the bot wrote to standard error. */
  words(): string
  /** Ends it without a word, and starts it again. */
  kill(): Promise<void>
  start(): Promise<void>
}

export interface ChatPlaceOptions {
  readonly script: Script
  readonly chatBot?: Json
  readonly config?: Json
  readonly servers?: Json
  /** Over HTTP instead of socket mode. */
  readonly http?: boolean
  /** With a port for pages. */
  readonly signIn?: boolean
}

export async function inChat(options: ChatPlaceOptions, work: (place: ChatPlace) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bot-'))
  const provider = await startScriptedProvider(options.script)
  const slack = new SlackService()
  await slack.start()
  const notes = join(folder, 'notes.log')
  const port = options.http === true || options.signIn === true ? await freePort() : undefined
  await writeConfig(folder, notes, { ...options, port, slack: slack.url, model: provider.url })
  if (options.http === true) slack.eventsUrl = `http://127.0.0.1:${port}`
  const bot = new Bot(folder, options.http === true)
  try {
    await bot.start()
    await work({
      slack,
      provider,
      ada: new SlackPerson(slack, 'U1ADA'),
      ben: new SlackPerson(slack, 'U2BEN'),
      folder,
      notes: () => (existsSync(notes) ? readFileSync(notes, 'utf8') : ''),
      words: () => bot.words,
      kill: () => bot.end('SIGKILL'),
      start: () => bot.start(),
    })
  } catch (error) {
    console.error(bot.words)
    throw error
  } finally {
    await bot.end('SIGTERM')
    await slack.close()
    await provider.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

interface Places {
  readonly port: number | undefined
  readonly slack: string
  readonly model: string
}

async function writeConfig(folder: string, notes: string, options: ChatPlaceOptions & Places): Promise<void> {
  const { port, slack, model, chatBot, config, servers, signIn } = options
  await mkdir(join(folder, 'config'))
  const text = JSON.stringify({
    servers: { lab: { command: process.execPath, args: [...process.execArgv, LAB, notes] }, ...servers },
    models: { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: model } },
    ...config,
    chatBot: {
      channels: { C1: {} },
      slack: { base: `${slack}/api` },
      ...(port !== undefined && { port }),
      ...(signIn === true && { signInUrl: `http://127.0.0.1:${port}/sign-in` }),
      ...chatBot,
    },
  })
  await writeFile(join(folder, 'config', 'portico.json'), text)
}

class Bot {
  words = ''
  readonly #folder: string
  readonly #http: boolean
  #child: ChildProcess | undefined

  constructor(folder: string, http: boolean) {
    this.#folder = folder
    this.#http = http
  }

  async start(): Promise<void> {
    const { PATH = '' } = process.env
    const secrets = this.#http ? { SLACK_SIGNING_SECRET: BOT.secret } : { SLACK_APP_TOKEN: BOT.app }
    const env = {
      PATH,
      HOME: this.#folder,
      PORTICO_STATE_DIR: join(this.#folder, 'state'),
      PORTICO_CONFIG_DIR: join(this.#folder, 'config'),
      SLACK_BOT_TOKEN: BOT.token,
      ...secrets,
    }
    const args = [...PROGRAM, 'chat-bot', 'slack']
    const child = spawn(process.execPath, args, { cwd: this.#folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    // Whatever becomes of the trial.
    process.once('exit', () => child.kill('SIGKILL'))
    this.words = ''
    const ready = new Promise<void>((resolve, reject) => {
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        this.words += chunk
        if (this.words.includes('answering.')) resolve()
      })
      child.once('exit', (code) => reject(new Error(`the bot ended with ${code}: ${this.words}`)))
    })
    await withLimit(ready, START_MS, 'the bot')
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill(signal)
    await withLimit(gone, END_MS, 'the end of the bot').catch(() => child.kill('SIGKILL'))
    await gone
  }
}
