/**
 * Tasks where a person looks, with servers of both generations: a conversation that is left and comes back, and a task whose question
 * is answered by keys in a narrow window.
 */

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import { z } from 'zod'
import type { Trial } from '../support/suite.ts'
import { missingTmux, openScreen, type Screen } from '../support/tmux.ts'
import { BINARY } from './binary.ts'

const PORTICO = `${process.execPath} ${BINARY}`
const GENERATIONS = { old: '2025-11-25', new: '2026-07-28' } as const
const TASK = { mode: 'required', pollIntervalMs: 100 } as const
const SCRIPT = {
  replies: [{ text: 'Nothing was scripted for that.' }],
  topics: {
    'begin both': [
      { calls: ['old', 'new'].map((name) => ({ name: `${name}_report`, arguments: {} })) },
      { text: 'Both are on their way.' },
    ],
    'first report': [{ text: 'The first has come.' }],
    'second report': [{ text: 'The second has come.' }],
  },
}

/** A server whose report is there when the trial says so. */
async function serveReports(version: (typeof GENERATIONS)[keyof typeof GENERATIONS], words: string) {
  let [release, asks] = [(): void => {}, (): void => {}]
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const asked = new Promise<void>((resolve) => {
    asks = resolve
  })
  const server = createServer({
    name: 'reports',
    version: '1.0.0',
    versions: [version],
    tasks: createTasks({ onTask: ({ type }) => void (type === 'input_required' && asks()) }),
    tools: {
      report: tool({ description: 'Writes a report', task: TASK, readOnly: true }, async (_args, ctx) => {
        ctx.progress(1, 2, 'reading the books')
        await released
        return words
      }),
      survey: tool({ description: 'Asks for a year', task: TASK }, async (_args, ctx) => {
        const { content } = await ctx.elicit('year', { message: 'Which year?', form: z.object({ year: z.number() }) })
        return `The year is ${content?.year}`
      }),
    },
  })
  const http = await serveHttp(server, { port: 0 })
  return { url: String(http.url), release, asked, close: () => http.close() }
}

type Reports = Awaited<ReturnType<typeof serveReports>>

interface Place {
  readonly screen: Screen
  readonly provider: ScriptedProvider
  readonly servers: { readonly old: Reports; readonly new: Reports }
}

async function inPlace(columns: number, work: (place: Place) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-tasks-'))
  const provider = await startScriptedProvider(SCRIPT)
  const servers = {
    old: await serveReports(GENERATIONS.old, 'first report'),
    new: await serveReports(GENERATIONS.new, 'second report'),
  }
  await mkdir(join(folder, 'config'))
  const config = {
    servers: { old: { url: servers.old.url }, new: { url: servers.new.url } },
    models: { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: provider.url } },
    policy: {
      rules: [
        { id: 'start', outcome: 'allow', effect: 'connect' },
        { id: 'use', outcome: 'allow', effect: 'call', evenIfTainted: true },
      ],
    },
  }
  await writeFile(join(folder, 'config', 'portico.json'), JSON.stringify(config))
  const env = { HOME: folder, PORTICO_STATE_DIR: join(folder, 'state'), PORTICO_CONFIG_DIR: join(folder, 'config') }
  const screen = openScreen(env, folder, columns)
  try {
    await work({ screen, provider, servers })
  } finally {
    screen.close()
    for (const server of Object.values(servers)) {
      server.release()
      await server.close()
    }
    await provider.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}

async function send(screen: Screen, text: string, shows: RegExp): Promise<string> {
  screen.mark()
  screen.line(text)
  return screen.until(shows)
}

const told = ({ provider }: Place): string => JSON.stringify(provider.requests.at(-1)?.messages)
const CHAT = `${PORTICO} chat --attend 0.2`

async function comesBack(place: Place): Promise<void> {
  const { screen, servers } = place
  await send(screen, CHAT, /scripted with 4 tools of 2 servers[\s\S]*›/)
  await send(screen, 'begin both', /goes on by itself[\s\S]*goes on by itself[\s\S]*Both are on their way\.[\s\S]*›/)
  assert.match(told(place), /runs on its own as task/)
  // What stands in the line is not lost when a task is told of.
  screen.mark()
  screen.type('half a wor')
  await screen.until(/half a wor$/)
  servers.old.release()
  await screen.until(/\(report\) is done[\s\S]*› half a wor$/)
  screen.press('C-u')
  await send(screen, '', /The first has come\.[\s\S]*›/)
  assert.match(told(place), /the result of task .*data from the server .*old.*first report/)
  screen.mark()
  screen.press('C-d')
  await screen.until(/Task \w+ \(report\) goes on\. Your next `.*portico chat`[\s\S]*\$$/)
  await send(screen, CHAT, /Task \w+ \(report\) of an earlier conversation[\s\S]*›/)
  screen.mark()
  servers.new.release()
  await screen.until(/\(report\) is done[\s\S]*›/)
  await send(screen, '', /The second has come\.[\s\S]*›/)
  assert.match(told(place), /the result of task .*data from the server .*new.*second report/)
  screen.mark()
  screen.press('C-d')
  await screen.until(/\$$/)
}

async function asksByKeys({ screen, servers }: Place, name: keyof typeof GENERATIONS): Promise<void> {
  const { url } = servers[name]
  const begun = await send(screen, `${PORTICO} call ${url} survey --task; echo "exit $?"`, /exit 0/)
  assert.match(begun, new RegExp(`survey\\s+${GENERATIONS[name]}\\s`))
  await servers[name].asked
  const listed = await send(screen, `${PORTICO} tasks list ${url}; echo "exit $?"`, /exit 0/)
  assert.match(listed, /survey[\s\S]*has a question: `.*tasks result/)
  await send(screen, `${PORTICO} tasks result ${url}; echo "exit $?"`, /Which year\?[\s\S]*year \(number\):/)
  await send(screen, '2026', /Send this\?/)
  await send(screen, '', /The year is 2026[\s\S]*exit 0/)
}

const NARROW = 50
const trial = (name: string, columns: number, run: (place: Place) => Promise<void>, long = false): Trial => ({
  name: `tasks: ${name}`,
  long,
  missing: missingTmux,
  run: () => inPlace(columns, run),
})

export const trials: readonly Trial[] = [
  trial('results come back to the conversation, and to the next one (host 31)', 140, comesBack),
  ...(['old', 'new'] as const).map((name) =>
    trial(
      `a question is answered by keys in ${NARROW} columns, on ${GENERATIONS[name]}`,
      NARROW,
      (place) => asksByKeys(place, name),
      name === 'old',
    ),
  ),
]
