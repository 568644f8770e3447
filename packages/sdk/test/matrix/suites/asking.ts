/** Questions to the client from tools, prompts and reads: elicitation, sampling, roots (client/* of each revision). */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/jsonrpc/message.ts'
import type { Answers, Outcome } from '../../wire.ts'
import { type Bench, textOf } from '../bench.ts'
import { FORM } from '../fixture-asking.ts'

export function askingSuite(bench: Bench): void {
  if (bench.atLeast('2025-06-18')) formSuite(bench)
  if (bench.atLeast('2025-11-25')) urlSuite(bench)
  samplingSuite(bench)
  rootSuite(bench)
  refusalSuite(bench)
  if (!bench.modern) liveSuite(bench)
}

const named = (name: string): Answers => ({ 'elicitation/create': () => ({ action: 'accept', content: { name } }) })
const question = (outcome: Outcome): JsonObject => (outcome.questions[0]?.params ?? {}) as JsonObject
const structured = (outcome: Outcome): unknown => JSON.parse(textOf(outcome.result))

function formSuite(bench: Bench): void {
  const filled = {
    name: 'Bob',
    mail: 'b@x.org',
    age: 40,
    size: 1.5,
    agree: false,
    colour: 'red',
    plan: 'l',
    legacy: 'y',
  }
  const rich = bench.atLeast('2025-11-25')
  const choices = rich ? { days: ['mon', 'tue'], toppings: ['c'] } : { days: 'mon, tue', toppings: 'Cheese' }

  describe('ctx.elicit with a form', () => {
    it('asks with every kind of field and gets the answers back', async () => {
      bench.answer({ 'elicitation/create': () => ({ action: 'accept', content: { ...filled, ...choices } }) })
      const outcome = await bench.call('ask_form')
      expect(structured(outcome)).toEqual({
        action: 'accept',
        content: { ...filled, days: ['mon', 'tue'], toppings: ['c'] },
      })
      const { message, mode, requestedSchema } = question(outcome)
      expect(message).toBe('Fill this in')
      expect(mode).toBe(rich ? 'form' : undefined)
      const { properties, required } = requestedSchema as {
        properties: { [name: string]: JsonObject }
        required: string[]
      }
      expect(required).toEqual(['name', 'agree'])
      if (rich) return expect(properties).toEqual(FORM.properties)
      expect(properties.name).not.toHaveProperty('default')
      expect(properties.agree).toHaveProperty('default', true)
      expect(properties.plan).toMatchObject({ enum: ['s', 'l'], enumNames: ['Small', 'Large'] })
      expect(properties.days?.type).toBe('string')
    })

    it.each(['decline', 'cancel'])('tells the handler of %s', async (action) => {
      bench.answer({ 'elicitation/create': () => ({ action }) })
      expect(structured(await bench.call('ask_form'))).toEqual({ action })
      expect(textOf((await bench.call('ask_zod')).result)).toBe(action)
    })

    it('leaves optional fields out', async () => {
      bench.answer({ 'elicitation/create': () => ({ action: 'accept', content: { name: 'B', agree: true } }) })
      expect(structured(await bench.call('ask_form'))).toEqual({
        action: 'accept',
        content: { name: 'B', agree: true },
      })
    })

    it.each([
      ['tools/call', { name: 'ask_zod' }, (result: JsonObject) => textOf(result), 'hello Eve'],
      ['prompts/get', { name: 'ask' }, (result: JsonObject) => JSON.stringify(result.messages), 'for Eve'],
      ['resources/read', { uri: 'data://ask' }, (result: JsonObject) => JSON.stringify(result.contents), 'asked Eve'],
    ])('works in %s', async (method, params, show, expected) => {
      bench.answer(named('Eve'))
      const { result, questions } = await bench.request(method, params)
      expect(show(result)).toContain(expected)
      expect(questions).toHaveLength(1)
    })

    it.each([
      ['a missing field', { action: 'accept', content: {} }],
      ['a field of another type', { action: 'accept', content: { name: 5 } }],
      ['no content', { action: 'accept' }],
      ['an unknown action', { action: 'perhaps', content: { name: 'x' } }],
      ['content that is no object', { action: 'accept', content: 'x' }],
    ])('does not take %s for an answer', async (_, wrong) => {
      const answers = [wrong, { action: 'accept', content: { name: 'Eve' } }]
      bench.answer({ 'elicitation/create': () => answers.shift() })
      const { result, questions } = await bench.call('ask_zod')
      if (bench.modern) {
        expect(textOf(result)).toBe('hello Eve')
        expect(questions).toHaveLength(2)
      } else {
        expect(result.isError).toBe(true)
        expect(textOf(result)).toContain('elicitation/create')
      }
    })

    it('must be a flat object whose choices are named', async () => {
      const { result, questions } = await bench.call('ask_bad_form')
      expect(result.isError).toBe(true)
      expect(questions).toEqual([])
      expect((await bench.control('read')).errors).toMatchObject([
        { message: expect.stringContaining('must name its choices') },
      ])
    })

    it('takes names that every object has as names', async () => {
      const content = JSON.parse('{"name":"Eve","__proto__":{"name":"Mallory"},"constructor":"x"}')
      bench.answer({ 'elicitation/create': () => ({ action: 'accept', content }) })
      expect(textOf((await bench.call('ask_zod')).result)).toBe('hello Eve')
    })
  })
}

function urlSuite(bench: Bench): void {
  describe('ctx.elicit with a URL', () => {
    it.each(['accept', 'decline', 'cancel'])('asks and tells of %s; consent is not completion', async (action) => {
      bench.answer({ 'elicitation/create': () => ({ action }) })
      const outcome = await bench.call('ask_url')
      expect(textOf(outcome.result)).toBe(action)
      expect(question(outcome)).toMatchObject({ mode: 'url', url: 'https://example.com/login', message: 'Sign in' })
      expect(typeof question(outcome).elicitationId).toBe(bench.modern ? 'undefined' : 'string')
      expect(outcome.notifications).toEqual([])
    })

    it('refuses a URL that is neither https nor local (sec-109)', async () => {
      const { result, questions } = await bench.call('ask_bad_url')
      expect(result.isError).toBe(true)
      expect(questions).toEqual([])
    })

    it('is not asked when it is done already', async () => {
      await bench.control('done', 'true')
      const { result, questions } = await bench.call('ask_url_done')
      expect(textOf(result)).toBe('accept')
      expect(questions).toEqual([])
    })

    it('ends when the visit does', async () => {
      bench.answer({
        'elicitation/create': async () => {
          await bench.control('done', 'true')
          return { action: 'accept' }
        },
      })
      const outcome = await bench.call('ask_url_done')
      expect(textOf(outcome.result)).toBe('accept')
      if (bench.modern) return
      const notice = outcome.notifications.find(({ method }) => method === 'notifications/elicitation/complete')
      expect(notice?.params).toEqual({ elicitationId: question(outcome).elicitationId })
    })

    it.runIf(!bench.modern)('is -32042 with the same elicitation while the visit is not over', async () => {
      bench.answer({ 'elicitation/create': () => ({ action: 'accept' }) })
      const outcome = await bench.call('ask_url_done')
      expect(outcome.error).toMatchObject({ code: -32042, data: { elicitations: [question(outcome)] } })
    })

    it.runIf(bench.modern)('is asked again until the visit is over', async () => {
      let asked = 0
      bench.answer({
        'elicitation/create': async () => {
          if (++asked === 3) await bench.control('done', 'true')
          return { action: 'accept' }
        },
      })
      expect(textOf((await bench.call('ask_url_done')).result)).toBe('accept')
      expect(asked).toBe(3)
    })

    it.runIf(bench.modern)('can be declined when it is asked again', async () => {
      const actions = ['accept', 'decline']
      bench.answer({ 'elicitation/create': () => ({ action: actions.shift() }) })
      expect(textOf((await bench.call('ask_url_done')).result)).toBe('decline')
    })
  })
}

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
