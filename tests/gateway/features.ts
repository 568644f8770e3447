/**
 * What the gateway carries, one function for each feature. `since` is the first revision that has it: a pair with an
 * older side must be told so, in words, and nothing else may happen.
 */

import assert from 'node:assert/strict'
import {
  createAnswers,
  fillForm,
  type Guest,
  type Json,
  jsonOf,
  type Progress,
  type ToolResult,
  textOf,
} from '../interop/guest.ts'
import { until } from '../support/wait.ts'
import { FAR } from './front.ts'
import type { Variant } from './variants.ts'

export interface Pair {
  readonly guest: Guest
  readonly client: Variant
  readonly server: Variant
}

export interface Feature {
  readonly name: string
  readonly since?: string
  readonly when?: (pair: Pair) => boolean
  readonly run: (pair: Pair) => Promise<void>
  /** What is done where one side's revision lacks the feature. */
  readonly lacking?: (pair: Pair) => Promise<unknown>
}

const far = (name: string) => `${FAR}_${name}`
const call = ({ guest }: Pair, name: string, args?: Json, options?: Parameters<Guest['callTool']>[2]) =>
  guest.callTool(far(name), args, options)

export const FEATURES: readonly Feature[] = [
  { name: 'tools', run: useTools },
  { name: 'content', run: readContent },
  { name: 'structure', since: '2025-06-18', run: readStructure, lacking: readSum },
  { name: '_meta', when: ({ server }) => server.maker === 'ours', run: passMeta },
  { name: 'errors', run: failProperly },
  { name: 'progress', run: followProgress },
  { name: 'cancel', run: cancelCall },
  { name: 'logging', run: hearLogs },
  { name: 'resources', run: readResources },
  { name: 'templates', run: readTemplates },
  { name: 'subscribe', run: followResource },
  { name: 'lists', run: followLists },
  { name: 'prompts', run: getPrompts },
  { name: 'complete', run: completeArguments },
  { name: 'form', since: '2025-06-18', run: answerForm, lacking: (pair) => call(pair, 'ask_person') },
  { name: 'url', since: '2025-11-25', run: visitUrl, lacking: (pair) => call(pair, 'ask_url') },
  { name: 'sample', run: sampleModel },
  { name: 's-tools', since: '2025-11-25', run: sampleWithTools, lacking: (pair) => call(pair, 'ask_model_tools') },
  { name: 'roots', run: shareRoots },
  { name: 'together', since: '2025-06-18', run: answerTogether },
  { name: 'ping', run: ({ guest }) => guest.ping() },
]

async function useTools(pair: Pair): Promise<void> {
  const names = (await pair.guest.list('tools')).map(({ name }) => name)
  assert.ok(names.includes(far('echo')), 'echo is listed')
  const texts = await Promise.all(
    ['plain', 'żółć 漢字 🙂', ''].map(async (text) => textOf(await call(pair, 'echo', { text }))),
  )
  assert.deepEqual(texts, ['plain', 'żółć 漢字 🙂', ''])
}

async function readContent(pair: Pair): Promise<void> {
  const { content } = await call(pair, 'kinds')
  const { version } = pair.client
  const audio = version >= '2025-03-26' ? 'audio' : 'text'
  const link = version >= '2025-06-18' ? 'resource_link' : 'text'
  // An older server of ours words these as text before they reach the gateway.
  const oldServer = pair.server.maker === 'ours' ? pair.server.version : '2026-07-28'
  assert.deepEqual(
    content.map(({ type }) => type),
    [
      'text',
      'image',
      oldServer >= '2025-03-26' ? audio : 'text',
      oldServer >= '2025-06-18' ? link : 'text',
      'resource',
      'resource',
    ],
  )
}

async function readStructure(pair: Pair): Promise<void> {
  assert.deepEqual((await call(pair, 'add', { a: 2, b: 40 })).structuredContent, { sum: 42 })
}

async function readSum(pair: Pair): Promise<void> {
  assert.deepEqual(jsonOf(await call(pair, 'add', { a: 2, b: 40 })), { sum: 42 })
}

async function passMeta(pair: Pair): Promise<void> {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  assert.equal(jsonOf(await call(pair, 'context', {}, { meta: { traceparent } })).traceparent, traceparent)
}

async function failProperly(pair: Pair): Promise<void> {
  const refused = await call(pair, 'refuse')
  assert.equal(refused.isError, true)
  assert.match(textOf(refused), /The door is closed/)
  await assert.rejects(pair.guest.callTool('no_such_tool'))
}

async function followProgress(pair: Pair): Promise<void> {
  const seen: Progress[] = []
  await call(pair, 'count', { to: 3 }, { onProgress: (progress) => seen.push(progress) })
  const expected = [1, 2, 3].map((at) => [at, 3])
  const told = seen.map(({ progress, total }) => [progress, total])
  if (pair.client.maker === 'ours') return assert.deepEqual(told, expected)
  // The official clients lose what comes in one read with the result; what they tell must still be in order.
  assert.deepEqual(told, expected.slice(0, told.length))
  if (told.length === 0) await hearProgress(pair)
}

/** Progress of a call that does not end by itself, so that no result can come in one read with it. */
async function hearProgress(pair: Pair): Promise<void> {
  assert.equal(await abandonCall(pair), 1)
}

async function cancelCall(pair: Pair): Promise<void> {
  await abandonCall(pair)
}

/** Cancels a call at its first progress, and waits until the server has heard of it. Resolves with the progress heard. */
async function abandonCall(pair: Pair): Promise<number> {
  const waited = async () => Number(textOf(await call(pair, 'waited')))
  const before = await waited()
  const controller = new AbortController()
  let heard = 0
  const onProgress = (): void => {
    heard += 1
    controller.abort()
  }
  await assert.rejects(call(pair, 'wait', {}, { signal: controller.signal, onProgress }))
  await until(async () => (await waited()) === before + 1, 'the server heard of the cancellation')
  return heard
}

async function hearLogs(pair: Pair): Promise<void> {
  const { guest } = pair
  await guest.setLevel('warning')
  guest.heard.clear()
  await call(pair, 'chat')
  await guest.heard.next('notifications/message', ({ level }) => level === 'error')
  assert.deepEqual(
    guest.heard.of('notifications/message').map(({ params }) => params.level),
    ['warning', 'error'],
  )
}

async function readResources({ guest }: Pair): Promise<void> {
  assert.ok((await guest.list('resources')).some(({ uri }) => uri === 'note://welcome'))
  assert.equal((await guest.readResource('note://welcome'))[0]?.text, 'welcome')
  const [bytes] = await guest.readResource('note://bytes')
  assert.equal(Buffer.from(String(bytes?.blob), 'base64').length, 256)
  await assert.rejects(guest.readResource('note://nothing'))
}

async function readTemplates({ guest }: Pair): Promise<void> {
  const templates = (await guest.list('resourceTemplates')).map(({ uriTemplate }) => uriTemplate)
  assert.deepEqual(templates, ['users://{id}/profile{?tab}'])
  const [contents] = await guest.readResource('users://grace/profile?tab=posts')
  assert.deepEqual(JSON.parse(String(contents?.text)), { id: 'grace', tab: 'posts' })
}

async function followResource(pair: Pair): Promise<void> {
  const { guest, client } = pair
  const uri = 'note://welcome'
  const modern = client.version >= '2026-07-28'
  const listening = modern ? await guest.listen({ resourceSubscriptions: [uri] }) : undefined
  if (listening === undefined) await guest.subscribe(uri)
  else assert.deepEqual(listening.honoured.resourceSubscriptions, [uri])
  guest.heard.clear()
  await call(pair, 'touch', { uri: 'note://settings' })
  await call(pair, 'touch', { uri })
  await guest.heard.next('notifications/resources/updated', (params) => params.uri === uri)
  assert.equal(guest.heard.of('notifications/resources/updated').length, 1)
  if (listening === undefined) await guest.unsubscribe(uri)
  else await listening.close()
}

async function followLists(pair: Pair): Promise<void> {
  const { guest, client } = pair
  const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
  const listening = client.version >= '2026-07-28' ? await guest.listen(filter) : undefined
  for (const step of ['grow', 'shrink']) {
    guest.heard.clear()
    await call(pair, step, { kind: 'tool' })
    await guest.heard.next('notifications/tools/list_changed')
    const there = async () => (await guest.list('tools')).some(({ name }) => name === far('grown'))
    await until(async () => (await there()) === (step === 'grow'), `the list after ${step}`)
  }
  await listening?.close()
}

async function getPrompts({ guest }: Pair): Promise<void> {
  const names = (await guest.list('prompts')).map(({ name }) => name)
  assert.ok(names.length > 0, 'prompts are listed')
  const { messages } = await guest.getPrompt(far('greet'), { language: 'dutch', greeting: 'hoi' })
  assert.deepEqual([messages[0]?.role, messages[0]?.content.text], ['user', 'Say hoi in dutch.'])
  await assert.rejects(guest.getPrompt(far('greet'), {}))
}

async function completeArguments({ guest }: Pair): Promise<void> {
  const greet = { type: 'ref/prompt', name: far('greet') } as const
  assert.deepEqual((await guest.complete(greet, { name: 'language', value: 'd' })).values, ['dutch', 'danish'])
  const user = { type: 'ref/resource', uri: 'users://{id}/profile{?tab}' } as const
  assert.deepEqual((await guest.complete(user, { name: 'id', value: 'a' })).values, ['ada', 'alan'])
}

async function answerForm(pair: Pair): Promise<void> {
  const { guest } = pair
  guest.answers.elicit = (params) => ({ action: 'accept', content: fillForm(params) })
  const { action, content } = jsonOf(await call(pair, 'ask_person'))
  assert.equal(action, 'accept')
  assert.equal((content as Json).name, 'Ada')
  guest.answers.elicit = () => ({ action: 'decline' })
  assert.equal(jsonOf(await call(pair, 'ask_person')).action, 'decline')
}

async function visitUrl(pair: Pair): Promise<void> {
  const asked: unknown[] = []
  pair.guest.answers.elicit = ({ url }) => {
    asked.push(url)
    return { action: 'accept' }
  }
  assert.equal(textOf(await call(pair, 'ask_url')), 'accept')
  assert.deepEqual(asked, ['https://example.com/sign-in?id=7'])
}

async function sampleModel(pair: Pair): Promise<void> {
  let asked: Json = {}
  pair.guest.answers.sample = (params) => {
    asked = params
    return { role: 'assistant', model: 'm', stopReason: 'endTurn', content: { type: 'text', text: 'a thought' } }
  }
  const answer = jsonOf(await call(pair, 'ask_model'))
  assert.deepEqual(answer.content, { type: 'text', text: 'a thought' })
  assert.deepEqual([asked.systemPrompt, asked.maxTokens, asked.temperature], ['Be brief', 50, 0.2])
}

async function sampleWithTools(pair: Pair): Promise<void> {
  let rounds = 0
  pair.guest.answers.sample = () => {
    rounds += 1
    const text = { type: 'text', text: 'It is noon.' }
    if (rounds > 1) return { role: 'assistant', model: 'm', stopReason: 'endTurn', content: text }
    const use = { type: 'tool_use', id: 'use-1', name: 'clock', input: { zone: 'UTC' } }
    return { role: 'assistant', model: 'm', stopReason: 'toolUse', content: [use] }
  }
  const answer = jsonOf(await call(pair, 'ask_model_tools'))
  assert.deepEqual([answer.used, answer.input], ['clock', { zone: 'UTC' }])
}

async function shareRoots(pair: Pair): Promise<void> {
  pair.guest.answers.roots = () => [{ uri: 'file:///srv/data', name: 'data' }]
  assert.deepEqual(jsonOf<unknown>(await call(pair, 'ask_roots')), [{ uri: 'file:///srv/data', name: 'data' }])
}

async function answerTogether(pair: Pair): Promise<void> {
  Object.assign(pair.guest.answers, createAnswers())
  const answer = jsonOf(await call(pair, 'ask_together'))
  assert.match(JSON.stringify(answer.name), /Ada/)
  assert.match(JSON.stringify(answer.thought), /a thought/)
  assert.match(JSON.stringify(answer.roots), /home\/ada\/project/)
}

/** Holds a pair to the feature, or to saying that it is not there. */
export async function tryFeature(feature: Feature, pair: Pair): Promise<'works' | 'lacks'> {
  const { since = '', run, lacking } = feature
  if (pair.client.version >= since && pair.server.version >= since) {
    await run(pair)
    return 'works'
  }
  const outcome = await lacking?.(pair).then(
    (result) => result as ToolResult | undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  if (outcome instanceof Error) assert.ok(outcome.message.length > 10, 'the error says why')
  else if (outcome !== undefined) {
    assert.equal(outcome.isError, true, 'a feature that one side lacks is refused')
    assert.ok(textOf(outcome).length > 10, 'the result says why')
  }
  return 'lacks'
}
