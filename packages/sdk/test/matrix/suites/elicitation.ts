/** Elicitation from tools, prompts and reads: by form and by URL (client/elicitation of each revision). */

import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject } from '../../../src/jsonrpc/message.ts'
import type { Answers, Outcome } from '../../wire.ts'
import { FORM } from '../fixture-asking.ts'
import { type Bench, textOf } from '../run-matrix.ts'

export function elicitationSuite(bench: Bench): void {
  if (bench.atLeast('2025-06-18')) formSuite(bench)
  if (bench.atLeast('2025-11-25')) urlSuite(bench)
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
      await bench.control('done', 'true')
      const { elicitationId } = question(outcome)
      // Resolves when the notice comes, and only with the id of this very elicitation (sec-112).
      const complete = 'notifications/elicitation/complete'
      await bench.wire.find(
        ({ method, params }) => method === complete && isObject(params) && params.elicitationId === elicitationId,
      )
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
