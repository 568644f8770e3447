/** Sampling, roots, clients that offer neither, and live questions (client/* of each revision). */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/jsonrpc/message.ts'
import type { Outcome } from '../../wire.ts'
import { type Bench, textOf } from '../run-matrix.ts'

export function askingSuite(bench: Bench): void {
  samplingSuite(bench)
  rootSuite(bench)
  refusalSuite(bench)
  if (!bench.modern) liveSuite(bench)
}

const question = (outcome: Outcome): JsonObject => (outcome.questions[0]?.params ?? {}) as JsonObject
const structured = (outcome: Outcome): unknown => JSON.parse(textOf(outcome.result))

const SAID = { role: 'assistant', model: 'm-1', content: { type: 'text', text: 'hi' }, stopReason: 'endTurn' }

function samplingSuite(bench: Bench): void {
  describe('ctx.sample', () => {
    it('asks with all it was given and gets the answer back', async () => {
      bench.answer({ 'sampling/createMessage': () => SAID })
      const outcome = await bench.call('ask_sample')
      expect(structured(outcome)).toEqual({ model: 'm-1', content: { type: 'text', text: 'hi' } })
      expect(question(outcome)).toEqual({
        messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
        systemPrompt: 'Be brief',
        maxTokens: 7,
        temperature: 0.5,
        stopSequences: ['!'],
        modelPreferences: { hints: [{ name: 'small' }], costPriority: 1, speedPriority: 0.5, intelligencePriority: 0 },
      })
    })

    it('sends several blocks as the revision can', async () => {
      bench.answer({ 'sampling/createMessage': () => SAID })
      const outcome = await bench.call('ask_sample_rich')
      const messages = question(outcome).messages as JsonObject[]
      if (bench.atLeast('2025-11-25')) expect(messages).toHaveLength(1)
      else expect(messages.every(({ content }) => !Array.isArray(content))).toBe(true)
      expect(JSON.stringify(messages)).toContain('two')
      expect(structured(outcome)).toEqual({ model: 'm-1' })
    })

    it('with tools needs a client that has them', async () => {
      bench.answer({ 'sampling/createMessage': () => ({ ...SAID, stopReason: 'toolUse' }) })
      const outcome = await bench.call('ask_sample_tools')
      if (bench.atLeast('2025-11-25')) {
        expect(structured(outcome)).toEqual({ stopReason: 'toolUse' })
        expect(question(outcome)).toMatchObject({ tools: [{ name: 'weather' }], toolChoice: { mode: 'auto' } })
      } else {
        expect(outcome.result.isError).toBe(true)
        expect(textOf(outcome.result)).toContain('sampling with tools')
        expect(outcome.questions).toEqual([])
      }
    })

    it('does not send tool results that belong to nothing (sec-117)', async () => {
      const { result, questions } = await bench.call('ask_sample_unpaired')
      expect(result.isError).toBe(true)
      expect(questions).toEqual([])
    })

    it.each([
      ['no model', { role: 'assistant', content: { type: 'text', text: 'x' } }],
      ['no role', { model: 'm', content: { type: 'text', text: 'x' } }],
      ['content of no kind', { role: 'assistant', model: 'm', content: { text: 'x' } }],
      ['content that is null', { role: 'assistant', model: 'm', content: null }],
    ])('does not take an answer with %s', async (_, wrong) => {
      const answers = [wrong, SAID]
      bench.answer({ 'sampling/createMessage': () => answers.shift() })
      const { result } = await bench.call('ask_sample')
      if (bench.modern) expect(result.isError).toBeUndefined()
      else expect(textOf(result)).toContain('does not fit')
    })
  })
}

function rootSuite(bench: Bench): void {
  describe('ctx.roots', () => {
    it('asks for the client’s roots', async () => {
      bench.answer({
        'roots/list': () => ({ roots: [{ uri: 'file:///home/ada', name: 'home' }, { uri: 'file:///tmp' }] }),
      })
      expect(structured(await bench.call('ask_roots'))).toEqual(['file:///home/ada', 'file:///tmp'])
    })

    it.each([[{}], [{ roots: 'none' }], [{ roots: [null] }], [{ roots: [{ name: 'x' }] }]])(
      'does not take %j for roots',
      async (wrong) => {
        const answers: JsonObject[] = [wrong, { roots: [] }]
        bench.answer({ 'roots/list': () => answers.shift() })
        const { result } = await bench.call('ask_roots')
        if (bench.modern) expect(JSON.parse(textOf(result))).toEqual([])
        else expect(textOf(result)).toContain('does not fit')
      },
    )
  })
}

const NEEDS = [
  ['ask_zod', { elicitation: {} }],
  ['ask_url', { elicitation: { url: {} } }],
  ['ask_sample', { sampling: {} }],
  ['ask_sample_tools', { sampling: { tools: {} } }],
  ['ask_roots', { roots: {} }],
] as const

function refusalSuite(bench: Bench): void {
  describe('a client without the capability', () => {
    const expectRefusal = (outcome: Outcome, requiredCapabilities: JsonObject) => {
      expect(outcome.questions).toEqual([])
      if (!bench.modern) {
        expect(outcome.result.isError).toBe(true)
        expect(textOf(outcome.result)).toMatch(/did not declare the capability/)
        return
      }
      expect(outcome.error).toMatchObject({ code: -32021, data: { requiredCapabilities } })
      if (outcome.status !== undefined) expect(outcome.status).toBe(400)
    }

    it('is not asked', async () => {
      const wire = await bench.bare()
      for (const [name, required] of NEEDS) {
        expectRefusal(await wire.request('tools/call', { name }, { capabilities: {} }), required)
      }
    })

    it.skipIf(bench.transport === 'stdio' && !bench.modern)('is not asked when it declares nonsense', async () => {
      const capabilities = { elicitation: null, sampling: 'yes', roots: 5 }
      const wire = bench.modern ? bench.wire : await bench.open({ capabilities })
      for (const [name, required] of NEEDS) {
        expectRefusal(await wire.request('tools/call', { name }, { capabilities }), required)
      }
    })

    it.runIf(bench.atLeast('2025-11-25'))('has forms but no URLs with `{}`, and no forms with URLs alone', async () => {
      for (const [capabilities, name, required] of [
        [{ elicitation: {} }, 'ask_url', { elicitation: { url: {} } }],
        [{ elicitation: { url: {} } }, 'ask_zod', { elicitation: {} }],
        [{ sampling: {} }, 'ask_sample_tools', { sampling: { tools: {} } }],
      ] as const) {
        if (bench.transport === 'stdio' && !bench.modern) continue
        const wire = bench.modern ? bench.wire : await bench.open({ capabilities })
        expectRefusal(await wire.request('tools/call', { name }, { capabilities }), required)
      }
    })

    it('outside of tools, is told by a protocol error', async () => {
      const wire = await bench.bare()
      for (const [method, params] of [
        ['prompts/get', { name: 'ask' }],
        ['resources/read', { uri: 'data://ask' }],
      ] as const) {
        const { error } = await wire.request(method, params, { capabilities: {} })
        expect(error?.code).toBe(bench.modern ? -32021 : -32603)
        expect(error?.message).toContain('elicitation')
      }
    })
  })
}

/** Live questions of the older revisions: requests within the session. */
function liveSuite(bench: Bench): void {
  describe('a live question', () => {
    it('that the client refuses is told to the model', async () => {
      bench.answer({ 'sampling/createMessage': () => ({ error: { code: -1, message: 'User rejected' } }) })
      const { result } = await bench.call('ask_sample')
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain('User rejected')
    })

    it('is withdrawn when it is not answered in time', async () => {
      const wire = await bench.variant()
      const { result, questions } = await wire.request('tools/call', { name: 'ask_sample' })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain('No answer within 20 ms')
      const [asked] = questions
      await wire.find(
        ({ method, params }) => method === 'notifications/cancelled' && (params as JsonObject).requestId === asked?.id,
      )
    })

    it('is withdrawn when the request is cancelled', async () => {
      bench.answer({ 'sampling/createMessage': () => undefined })
      let asked: JsonObject = {}
      let begin = (): void => {}
      const begun = new Promise<void>((resolve) => {
        begin = resolve
      })
      const { id, outcome } = bench.wire.start(
        'tools/call',
        { name: 'ask_sample' },
        {
          seen: (message) => {
            if (!('id' in message)) return
            asked = message
            begin()
          },
        },
      )
      outcome.catch(() => {})
      await begun
      await bench.wire.notify('notifications/cancelled', { requestId: id })
      const notice = await bench.wire.find(
        ({ method, params }) => method === 'notifications/cancelled' && (params as JsonObject).requestId === asked.id,
      )
      expect(notice).toBeDefined()
      expect(bench.wire.log.filter((message) => message.id === id && !('method' in message))).toEqual([])
    })

    it.skipIf(bench.transport === 'stdio')('waits for `initialized`', async () => {
      const wire = await bench.open({ handshake: false, answers: { 'roots/list': () => ({ roots: [] }) } })
      const params = {
        protocolVersion: bench.version,
        capabilities: { roots: {} },
        clientInfo: { name: 'c', version: '1' },
      }
      await wire.request('initialize', params)
      const { outcome } = wire.start('tools/call', { name: 'ask_roots' })
      await wire.settle()
      expect(wire.log.filter(({ method }) => method !== undefined)).toEqual([])
      await wire.notify('notifications/initialized')
      expect(textOf((await outcome).result)).toBe('[]')
    })

    it.runIf(bench.atLeast('2025-06-18'))('does not repeat what happened before it', async () => {
      bench.answer({
        'elicitation/create': ({ message }) => ({
          action: 'accept',
          content: message === 'Who?' ? { name: 'Eve' } : { yes: true },
        }),
      })
      expect(structured(await bench.call('ask_steps', { amount: 5 }))).toEqual({ who: 'Eve', receipt: 1, sure: true })
      expect((await bench.control('read')).effects).toEqual({ charge: 1, finish: 1 })
    })
  })
}
