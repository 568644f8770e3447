/**
 * `npm run fuzz -- --canary`: a real host before a server that hides something in everything it says, and a look at
 * every place where a person, a terminal or a model gets it. Nothing may arrive raw, and what a model was given must be
 * known as the server's.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toCliError } from '../../../packages/app/src/cli/failure.ts'
import { textOfResult } from '../../../packages/app/src/cli/terminal/content.ts'
import { toPainted } from '../../../packages/app/src/cli/terminal/plain-text.ts'
import { toFailure } from '../../../packages/app/src/web/http/failure.ts'
import { createHost, type Host } from '../../../packages/host/src/assembly/host.ts'
import { defineServer } from '../../../packages/host/src/config/define-server.ts'
import { Models } from '../../../packages/host/src/model/models.ts'
import { startScriptedProvider } from '../../../packages/host/src/model/script-server.ts'
import * as said from './messages.ts'

export interface Walked {
  /** What went wrong, in words. */
  readonly problems: readonly string[]
  /** How many canaries arrived, clean, at each place. */
  readonly arrived: ReadonlyMap<string, number>
}

/** What arrived somewhere, and what it must not hold. */
interface Sight {
  readonly text: string
  readonly raw: RegExp
}

const HIDING = said.HIDING_FORMS.map((_, at) => `hiding${at}`)
const CALLS = ['result', 'structured', 'error', 'form', 'url', 'sample', ...HIDING]

/** The older way to ask, by requests of the server's own, and the newest, by results that want input. */
export type CanaryWay = 'requests' | 'rounds'

export async function walkCanaries(way: CanaryWay): Promise<Walked> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-canary-'))
  const replies = [...CALLS.map((name) => ({ calls: [{ name: `evil_${name}`, arguments: {} }] })), { text: 'done' }]
  const provider = await startScriptedProvider({ replies, topics: { sampled: [{ text: 'ok' }] } })
  const file = join(folder, 'said.json')
  await writeFile(file, JSON.stringify(way === 'rounds' ? inRounds(script()) : script()))
  const args = [fileURLToPath(new URL('server.mjs', import.meta.url)), file]
  const host = await createHost({
    models: new Models({
      env: {},
      ollama: false,
      configured: [{ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: provider.url }],
    }),
    servers: [defineServer('evil', { kind: 'stdio', command: process.execPath, args, env: {} })],
    // Where a form is asked for, no default is taken over: those here are of no use.
    ask: ({ body }) => (body.kind === 'form' ? { action: 'deny' } : { action: 'allow', content: {} }),
  })
  const seen = new Map<string, Sight[]>()
  const see = (place: string, value: unknown): void => {
    const sight: Sight =
      typeof value === 'string'
        ? { text: value, raw: said.RAW }
        : { text: JSON.stringify(value), raw: said.RAW_IN_JSON }
    seen.set(place, [...(seen.get(place) ?? []), sight])
  }
  try {
    await look(host, see)
    see('model', provider.requests)
    return judge(host, seen)
  } finally {
    await host.close()
    await provider.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Script {
  readonly answers: { readonly [method: string]: { readonly result: object } }
  readonly calls: { readonly [name: string]: Scripted }
}

interface Scripted {
  readonly answer: object
  readonly notices?: readonly object[]
  readonly question?: { readonly method: string; readonly params: object }
}

/** The same server in the newest revision: what it asks stands in results that are not complete. */
function inRounds({ answers, calls }: Script): unknown {
  const identity = { 'io.modelcontextprotocol/serverInfo': said.INFO }
  const round = (questions: readonly object[]) => ({
    resultType: 'input_required',
    inputRequests: Object.fromEntries(questions.map((question) => [said.canary('input key'), question])),
    requestState: said.canary('state'),
    _meta: { ...identity, [said.canary('round meta name')]: said.canary('round meta') },
  })
  const { initialize, ...others } = answers
  const discover = { ...initialize?.result, supportedVersions: ['2026-07-28'], _meta: identity }
  const complete = Object.entries({ ...others, 'server/discover': { result: discover } }).map(
    ([method, { result }]) => [
      method,
      { result: { ttlMs: 0, cacheScope: 'private', ...result, resultType: 'complete' } },
    ],
  )
  const asked = Object.entries(calls).filter(([, { question }]) => question !== undefined)
  const everything = round(
    asked.flatMap(([name, { question }]) => (question === undefined || HIDING.includes(name) ? [] : [question])),
  )
  const rounds = {
    ...Object.fromEntries(asked.map(([name, { question }]) => [name, round(question === undefined ? [] : [question])])),
    result: everything,
    'prompts/get': everything,
    'resources/read': everything,
  }
  return { answers: Object.fromEntries(complete), calls, rounds }
}

function script(): Script {
  const result = { result: said.RESULT }
  const hidden = said.canary('hidden name')
  const tools = [...CALLS, hidden].map((name) => ({ ...said.tool(name), outputSchema: undefined }))
  const resources = [said.resource('canary://one'), said.resource(`canary://${hidden}`)]
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
    serverInfo: said.INFO,
    instructions: said.INSTRUCTIONS,
  }
  return {
    answers: {
      initialize: { result: initialize },
      ping: { result: {} },
      'tools/list': { result: { tools } },
      'resources/list': { result: { resources } },
      'resources/templates/list': { result: { resourceTemplates: [said.template('canary://{id}')] } },
      'prompts/list': { result: { prompts: [said.prompt('greet'), said.prompt(hidden)] } },
      'resources/read': { result: said.READ },
      'prompts/get': { result: said.PROMPT },
      'completion/complete': { result: said.COMPLETION },
    },
    calls: {
      result: {
        answer: result,
        notices: [
          { method: 'notifications/progress', params: said.PROGRESS },
          { method: 'notifications/message', params: said.LOG },
        ],
      },
      structured: { answer: { result: { content: [], structuredContent: said.RESULT.structuredContent } } },
      error: { answer: { error: said.FAILURE } },
      form: { answer: result, question: { method: 'elicitation/create', params: said.FORM } },
      ...Object.fromEntries(
        said.HIDING_FORMS.map((params, at) => [
          HIDING[at],
          { answer: result, question: { method: 'elicitation/create', params } },
        ]),
      ),
      url: { answer: result, question: { method: 'elicitation/create', params: said.URL_QUESTION } },
      sample: { answer: result, question: { method: 'sampling/createMessage', params: said.SAMPLING } },
    },
  }
}

/** Uses the server in every way there is, by hand and by a model. */
async function look(host: Host, see: (place: string, value: unknown) => void): Promise<void> {
  host.inbox.on((event) => event.type === 'asked' && see('question', event.question))
  host.upstreams.on('log', (entry) => see('log', entry.text))
  const options = { session: 's', onProgress: (progress: unknown) => see('progress', progress) }
  const failed = (error: unknown): void => {
    see('workbench', toFailure(error))
    const { message, remedy = '' } = toCliError(error, { interactive: true, takes: () => true })
    see('terminal', toPainted(`${message} ${remedy}`))
  }
  await host.catalogue.list()
  await host.call('evil_result', {}, options).then(({ result }) => {
    see('workbench', result)
    see('terminal', toPainted(textOfResult(result)))
  }, failed)
  await host.call('evil_error', {}, options).then(() => see('workbench', 'no error came'), failed)
  const shown = ({ result }: { readonly result: unknown }) => see('workbench', result)
  await host.read('canary://one', options).then(shown, failed)
  await host.prompt('evil_greet', {}, options).then(shown, failed)
  const ref = { type: 'ref/prompt', name: 'greet' } as const
  see('workbench', await host.complete('evil', { ref, argument: { name: 'who', value: '' } }, options))
  see('workbench', host.catalogue.items())
  see('workbench', host.upstreams.views())
  const conversation = host.converse({ session: 's' })
  await host.attach(conversation, { kind: 'prompt', name: 'evil_greet', arguments: {} }, { session: 's' })
  await host.attach(conversation, { kind: 'resource', uri: 'canary://one' }, { session: 's' })
  await conversation.send('go', (event) => see('turn', event))
}

function judge(host: Host, seen: ReadonlyMap<string, readonly Sight[]>): Walked {
  const problems: string[] = []
  const arrived = new Map<string, number>()
  for (const [place, sights] of seen) {
    const markers = said.markersIn(sights.map(({ text }) => text).join('\n'))
    arrived.set(place, markers.size)
    for (const { text, raw } of sights) {
      const at = text.search(raw)
      if (at >= 0) problems.push(`${place}: raw near ${JSON.stringify(text.slice(Math.max(0, at - 60), at + 20))}`)
    }
    for (const marker of markers) if (/unshown/.test(marker)) problems.push(`${place}: shown all the same: ${marker}`)
    if (place !== 'model') continue
    for (const marker of markers) {
      const { inArguments } = host.provenance('s').sourcesOf({ text: marker }, 'another')
      // What a server asks of the model in its own name goes back to it alone.
      const isOwnRequest = /sampled|system|stop|hint|metadata/.test(marker)
      if (!isOwnRequest && !inArguments.includes('evil')) problems.push(`model: nobody's data: ${marker}`)
    }
  }
  for (const place of ['question', 'log', 'progress', 'workbench', 'terminal', 'turn', 'model']) {
    if ((arrived.get(place) ?? 0) === 0) problems.push(`${place}: no canary arrived, so nothing was looked at`)
  }
  return { problems, arrived }
}
