/** Several processes that serve the same definition: rounds begun at one are ended at another, once (design, "Asking"). */

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { MemoryRoundStore } from '../src/session/kept-rounds/round-store.ts'
import { open } from './wire.ts'

const KEY = new Uint8Array(32).fill(7)
const ANSWER = { name: { action: 'accept', content: { name: 'Eve' } } }

function makeReplica(options: { stateKeys?: Uint8Array[]; roundStore?: MemoryRoundStore }) {
  let effects = 0
  const server = createServer({
    name: 'replica',
    version: '1',
    ...options,
    tools: {
      ask: tool({}, async (_, ctx) => {
        const answer = await ctx.elicit('name', { message: 'Name?', form: z.object({ name: z.string() }) })
        effects++
        return `hello ${answer.content?.name}`
      }),
    },
  })
  const connect = () => open({ transport: 'memory', server }, '2026-07-28', { capabilities: { elicitation: {} } })
  return { connect, effects: () => effects }
}

describe('replicas', () => {
  it('with the same key go on with each other’s rounds', async () => {
    const [one, two] = [makeReplica({ stateKeys: [KEY] }), makeReplica({ stateKeys: [new Uint8Array(32), KEY] })]
    const first = await (await one.connect()).request('tools/call', { name: 'ask' })
    const retry = { name: 'ask', requestState: first.result.requestState, inputResponses: ANSWER }
    const { result } = await (await two.connect()).request('tools/call', retry)
    expect(result.content).toEqual([{ type: 'text', text: 'hello Eve' }])
  })

  it('with keys of their own refuse each other’s rounds', async () => {
    const [one, two] = [makeReplica({}), makeReplica({})]
    const first = await (await one.connect()).request('tools/call', { name: 'ask' })
    const retry = { name: 'ask', requestState: first.result.requestState, inputResponses: ANSWER }
    expect((await (await two.connect()).request('tools/call', retry)).error).toMatchObject({ code: -32602 })
  })

  it('with a shared store take each round once between them', async () => {
    const shared = { stateKeys: [KEY], roundStore: new MemoryRoundStore() }
    const replicas = [makeReplica(shared), makeReplica(shared)]
    const [one, two] = await Promise.all(replicas.map(({ connect }) => connect()))
    if (one === undefined || two === undefined) throw new Error('no connection')
    const first = await one.request('tools/call', { name: 'ask' })
    const retry = { name: 'ask', requestState: first.result.requestState, inputResponses: ANSWER }
    const outcomes = await Promise.all([one, two, one, two].map((wire) => wire.request('tools/call', retry)))
    for (const { result } of outcomes) expect(result.content).toEqual([{ type: 'text', text: 'hello Eve' }])
    expect(replicas.reduce((sum, { effects }) => sum + effects(), 0)).toBe(1)
  })
})
