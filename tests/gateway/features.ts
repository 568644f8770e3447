/**
 * What the gateway carries, one function for each feature. `since` is the first revision that has it: a pair with an
 * older side must be told so, in words, and nothing else may happen.
 */

import assert from 'node:assert/strict'
import {
  type ClientUnderTest,
  createAnswers,
  fillForm,
  type Json,
  jsonOf,
  type Progress,
  type ToolResult,
  textOf,
} from '../interop/client-under-test.ts'
import { until } from '../support/wait.ts'
import { FAR } from './front.ts'
import type { Variant } from './variants.ts'

export interface Pair {
  readonly caller: ClientUnderTest
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
const call = ({ caller }: Pair, name: string, args?: Json, options?: Parameters<ClientUnderTest['callTool']>[2]) =>
  caller.callTool(far(name), args, options)

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
  { name: 'ping', run: ({ caller }) => caller.ping() },
]

async function useTools(pair: Pair): Promise<void> {
  const names = (await pair.caller.list('tools')).map(({ name }) => name)
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
  await assert.rejects(pair.caller.callTool('no_such_tool'))
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
  const { caller } = pair
  await caller.setLevel('warning')
  caller.heard.clear()
  await call(pair, 'chat')
  await caller.heard.next('notifications/message', ({ level }) => level === 'error')
  assert.deepEqual(
    caller.heard.of('notifications/message').map(({ params }) => params.level),
    ['warning', 'error'],
  )
}

async function readResources({ caller }: Pair): Promise<void> {
  assert.ok((await caller.list('resources')).some(({ uri }) => uri === 'note://welcome'))
  assert.equal((await caller.readResource('note://welcome'))[0]?.text, 'welcome')
  const [bytes] = await caller.readResource('note://bytes')
  assert.equal(Buffer.from(String(bytes?.blob), 'base64').length, 256)
  await assert.rejects(caller.readResource('note://nothing'))
}

async function readTemplates({ caller }: Pair): Promise<void> {
  const templates = (await caller.list('resourceTemplates')).map(({ uriTemplate }) => uriTemplate)
  assert.deepEqual(templates, ['users://{id}/profile{?tab}'])
  const [contents] = await caller.readResource('users://grace/profile?tab=posts')
  assert.deepEqual(JSON.parse(String(contents?.text)), { id: 'grace', tab: 'posts' })
}

async function followResource(pair: Pair): Promise<void> {
  const { caller, client } = pair
  const uri = 'note://welcome'
  const modern = client.version >= '2026-07-28'
  const listening = modern ? await caller.listen({ resourceSubscriptions: [uri] }) : undefined
  if (listening === undefined) await caller.subscribe(uri)
  else assert.deepEqual(listening.honoured.resourceSubscriptions, [uri])
  caller.heard.clear()
  await call(pair, 'touch', { uri: 'note://settings' })
  await call(pair, 'touch', { uri })
  await caller.heard.next('notifications/resources/updated', (params) => params.uri === uri)
  assert.equal(caller.heard.of('notifications/resources/updated').length, 1)
  if (listening === undefined) await caller.unsubscribe(uri)
  else await listening.close()
}

async function followLists(pair: Pair): Promise<void> {
  const { caller, client } = pair
  const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
  const listening = client.version >= '2026-07-28' ? await caller.listen(filter) : undefined
  for (const step of ['grow', 'shrink']) {
    caller.heard.clear()
    await call(pair, step, { kind: 'tool' })
    await caller.heard.next('notifications/tools/list_changed')
    const there = async () => (await caller.list('tools')).some(({ name }) => name === far('grown'))
    await until(async () => (await there()) === (step === 'grow'), `the list after ${step}`)
  }
  await listening?.close()
}

async function getPrompts({ caller }: Pair): Promise<void> {
  const names = (await caller.list('prompts')).map(({ name }) => name)
  assert.ok(names.length > 0, 'prompts are listed')
  const { messages } = await caller.getPrompt(far('greet'), { language: 'dutch', greeting: 'hoi' })
  assert.deepEqual([messages[0]?.role, messages[0]?.content.text], ['user', 'Say hoi in dutch.'])
  await assert.rejects(caller.getPrompt(far('greet'), {}))
}

async function completeArguments({ caller }: Pair): Promise<void> {
  const greet = { type: 'ref/prompt', name: far('greet') } as const
  assert.deepEqual((await caller.complete(greet, { name: 'language', value: 'd' })).values, ['dutch', 'danish'])
  const user = { type: 'ref/resource', uri: 'users://{id}/profile{?tab}' } as const
  assert.deepEqual((await caller.complete(user, { name: 'id', value: 'a' })).values, ['ada', 'alan'])
}

async function answerForm(pair: Pair): Promise<void> {
  const { caller } = pair
  caller.answers.elicit = (params) => ({ action: 'accept', content: fillForm(params) })
  const { action, content } = jsonOf(await call(pair, 'ask_person'))
  assert.equal(action, 'accept')
  assert.equal((content as Json).name, 'Ada')
  caller.answers.elicit = () => ({ action: 'decline' })
  assert.equal(jsonOf(await call(pair, 'ask_person')).action, 'decline')
}

async function visitUrl(pair: Pair): Promise<void> {
  const asked: unknown[] = []
  pair.caller.answers.elicit = ({ url }) => {
    asked.push(url)
    return { action: 'accept' }
  }
  assert.equal(textOf(await call(pair, 'ask_url')), 'accept')
  assert.deepEqual(asked, ['https://example.com/sign-in?id=7'])
}

async function sampleModel(pair: Pair): Promise<void> {
  let asked: Json = {}
  pair.caller.answers.sample = (params) => {
    asked = params
    return { role: 'assistant', model: 'm', stopReason: 'endTurn', content: { type: 'text', text: 'a thought' } }
  }
  const answer = jsonOf(await call(pair, 'ask_model'))
  assert.deepEqual(answer.content, { type: 'text', text: 'a thought' })
  assert.deepEqual([asked.systemPrompt, asked.maxTokens, asked.temperature], ['Be brief', 50, 0.2])
}

async function sampleWithTools(pair: Pair): Promise<void> {
  let rounds = 0
  pair.caller.answers.sample = () => {
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
  pair.caller.answers.roots = () => [{ uri: 'file:///srv/data', name: 'data' }]
  assert.deepEqual(jsonOf<unknown>(await call(pair, 'ask_roots')), [{ uri: 'file:///srv/data', name: 'data' }])
}

async function answerTogether(pair: Pair): Promise<void> {
  Object.assign(pair.caller.answers, createAnswers())
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
