/** Multi-round input of 2026-07-28: what goes out together, what a retry may present, what happens once (basic, MRTR). */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/jsonrpc/message.ts'
import type { Outcome, RequestOptions, Wire } from '../../wire.ts'
import { type Bench, textOf } from '../run-matrix.ts'

export function roundSuite(bench: Bench): void {
  if (!bench.modern) return
  roundTripSuite(bench)
  stateSuite(bench)
  replaySuite(bench)
  limitSuite(bench)
}

const MANUAL: RequestOptions = { rounds: false }
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content })
const NAME = accept({ name: 'Eve' })

/** Sends a call, or its retry, and returns the raw result. */
function send(
  wire: Wire,
  name: string,
  args: JsonObject,
  retry: JsonObject = {},
  options: RequestOptions = {},
): Promise<Outcome> {
  return wire.request('tools/call', { name, arguments: args, ...retry }, { ...MANUAL, ...options })
}

function retryOf({ result }: Outcome, inputResponses: JsonObject): JsonObject {
  return { inputResponses, requestState: result.requestState }
}

function keysOf({ result }: Outcome): string[] {
  expect(result.resultType).toBe('input_required')
  return Object.keys(result.inputRequests as JsonObject)
}

function roundTripSuite(bench: Bench): void {
  describe('rounds', () => {
    it.each(['ask_two', 'ask_two_apart'])('%s: what is asked at once goes out together', async (name) => {
      const first = await send(bench.wire, name, {})
      expect(keysOf(first)).toEqual(['a', 'b'])
      const last = await send(
        bench.wire,
        name,
        {},
        retryOf(first, { a: accept({ name: '1' }), b: accept({ name: '2' }) }),
      )
      expect(textOf(last.result)).toBe('1 2')
    })

    it('an unnamed question is keyed by kind and place', async () => {
      expect(keysOf(await send(bench.wire, 'ask_zod', {}))).toEqual(['elicitation_1'])
      expect(keysOf(await send(bench.wire, 'ask_roots', {}))).toEqual(['roots_1'])
    })

    it('what is missing is asked again, what is too much is ignored', async () => {
      const first = await send(bench.wire, 'ask_two', {})
      const extra = JSON.parse('{"nobody":{"action":"accept"},"__proto__":{"action":"accept"},"constructor":5}')
      const second = await send(bench.wire, 'ask_two', {}, retryOf(first, { a: accept({ name: '1' }), ...extra }))
      expect(keysOf(second)).toEqual(['b'])
      const third = await send(bench.wire, 'ask_two', {}, retryOf(second, {}))
      expect(keysOf(third)).toEqual(['b'])
      const last = await send(
        bench.wire,
        'ask_two',
        {},
        retryOf(third, { b: accept({ name: '2' }), a: accept({ name: 'late' }) }),
      )
      expect(textOf(last.result)).toBe('1 2')
    })

    it('an answer to what was not asked does not count', async () => {
      const first = await send(bench.wire, 'ask_steps', { amount: 1 })
      const second = await send(
        bench.wire,
        'ask_steps',
        { amount: 1 },
        retryOf(first, { who: NAME, sure: accept({ yes: true }) }),
      )
      expect(keysOf(second)).toEqual(['sure'])
    })

    it('answers that come with the first request are checked like any others', async () => {
      const known = await send(bench.wire, 'ask_zod', {}, { inputResponses: { elicitation_1: NAME } })
      expect(textOf(known.result)).toBe('hello Eve')
      expect(
        keysOf(await send(bench.wire, 'ask_zod', {}, { inputResponses: { elicitation_1: accept({ name: 5 }) } })),
      ).toEqual(['elicitation_1'])
    })

    it.each([[5], ['x'], [[]], [null]])('inputResponses that are %j are -32602', async (inputResponses) => {
      const first = await send(bench.wire, 'ask_zod', {})
      for (const retry of [{ inputResponses }, { inputResponses, requestState: first.result.requestState }]) {
        const { error } = await send(bench.wire, 'ask_zod', {}, retry)
        expect(error).toMatchObject({ code: -32602, data: { parameter: 'inputResponses' } })
      }
    })

    it('another question under the same key is asked again', async () => {
      const first = await send(bench.wire, 'ask_changing', {})
      await bench.control('question', 'second')
      const second = await send(bench.wire, 'ask_changing', {}, retryOf(first, { k: NAME }))
      expect(second.result.inputRequests).toMatchObject({ k: { params: { message: 'second' } } })
      const last = await send(bench.wire, 'ask_changing', {}, retryOf(second, { k: NAME }))
      expect(textOf(last.result)).toBe('second: Eve')
    })

    it('two questions under one key are the author’s mistake', async () => {
      const { result } = await send(bench.wire, 'ask_same_key', {})
      expect(result.isError).toBe(true)
      expect((await bench.control('read')).errors).toMatchObject([{ message: expect.stringContaining('"k"') }])
    })

    it('a step that is running when a question goes out is recorded', async () => {
      const first = await send(bench.wire, 'ask_beside_step', {})
      expect(keysOf(first)).toEqual(['name'])
      const last = await send(bench.wire, 'ask_beside_step', {}, retryOf(first, { name: NAME }))
      expect(textOf(last.result)).toBe('slow Eve')
      expect((await bench.control('read')).effects).toEqual({ slow: 1 })
    })

    it('a handler that goes on after it was suspended does nothing', async () => {
      const first = await send(bench.wire, 'ask_stubborn', {})
      expect(keysOf(first)).toEqual(['a'])
      const last = await send(bench.wire, 'ask_stubborn', {}, retryOf(first, { a: NAME }))
      expect(textOf(last.result)).toBe('Eve')
      expect((await bench.control('read')).effects).toEqual({})
    })
  })
}

function stateSuite(bench: Bench): void {
  const refused = (outcome: Outcome) => {
    expect(outcome.error).toMatchObject({ code: -32602, data: { parameter: 'requestState' } })
    return outcome.error?.message
  }

  describe('requestState', () => {
    it('that was altered is refused, and the handler does not run', async () => {
      const first = await send(bench.wire, 'ask_zod', {})
      const state = String(first.result.requestState)
      const flip = (at: number) => `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`
      const altered = [0, 3, 8, 20, 40, state.length - 1].map(flip)
      for (const requestState of [
        ...altered,
        state.slice(1),
        state.slice(0, -1),
        `${state}A`,
        `${state}=`,
        '',
        'x',
        5,
        null,
        {},
      ]) {
        refused(await send(bench.wire, 'ask_zod', {}, { inputResponses: { elicitation_1: NAME }, requestState }))
      }
      refused(await send(bench.wire, 'ask_zod', {}, { inputResponses: {}, requestState: 'A'.repeat(70_000) }))
      expect((await bench.control('read')).effects).toEqual({})
      expect(textOf((await send(bench.wire, 'ask_zod', {}, retryOf(first, { elicitation_1: NAME }))).result)).toBe(
        'hello Eve',
      )
    })

    it('of another tool, other arguments or another method is refused, in the same words', async () => {
      const first = await send(bench.wire, 'ask_zod', { note: 'a' })
      const retry = retryOf(first, { elicitation_1: NAME })
      const words = [
        refused(await send(bench.wire, 'ask_two', { note: 'a' }, retry)),
        refused(await send(bench.wire, 'ask_zod', { note: 'b' }, retry)),
        refused(await send(bench.wire, 'ask_zod', {}, retry)),
        refused(await bench.request('prompts/get', { name: 'ask_zod', arguments: { note: 'a' }, ...retry }, MANUAL)),
      ]
      expect(new Set(words).size).toBe(1)
    })

    it('belongs to the same arguments in whatever order they are written', async () => {
      const both = await bench.request('tools/call', { name: 'ask_zod', arguments: { note: 'a', extra: 1 } }, MANUAL)
      const retry = retryOf(both, { elicitation_1: NAME })
      const last = await bench.request(
        'tools/call',
        { arguments: { extra: 1, note: 'a' }, name: 'ask_zod', ...retry },
        MANUAL,
      )
      expect(textOf(last.result)).toBe('hello Eve')
    })

    it.skipIf(!bench.hasUsers)('of another principal is refused', async () => {
      const alice = await bench.open({ user: 'alice' })
      const mallory = await bench.open({ user: 'mallory' })
      const first = await send(alice, 'ask_zod', {})
      const retry = retryOf(first, { elicitation_1: NAME })
      refused(await send(mallory, 'ask_zod', {}, retry))
      refused(await send(bench.wire, 'ask_zod', {}, retry))
      expect(textOf((await send(alice, 'ask_zod', {}, retry)).result)).toBe('hello Eve')
    })

    it.skipIf(bench.transport === 'stdio')('that has expired is refused', async () => {
      const wire = await bench.open({ server: { state: { ttlMs: 1 } } })
      const first = await send(wire, 'ask_zod', {})
      const began = Date.now()
      // The clock of this machine, which is also the server's.
      await expect.poll(() => Date.now()).toBeGreaterThan(began + 2)
      refused(await send(wire, 'ask_zod', {}, retryOf(first, { elicitation_1: NAME })))
    })

    it('of another server is refused', async () => {
      const other = await bench.variant()
      const first = await send(other, 'ask_zod', {})
      refused(await send(bench.wire, 'ask_zod', {}, retryOf(first, { elicitation_1: NAME })))
    })

    it('survives middleware that alters the parameters', async () => {
      const first = await bench.request('tools/call', { name: 'wrapped_ask', arguments: { x: 1 } }, MANUAL)
      const last = await bench.request(
        'tools/call',
        { name: 'wrapped_ask', arguments: { x: 1 }, ...retryOf(first, { elicitation_1: NAME }) },
        MANUAL,
      )
      expect(textOf(last.result)).toBe('Eve')
    })
  })
}

function replaySuite(bench: Bench): void {
  describe('a round is taken once', () => {
    const pay = { amount: 5 }

    it('however often its request is sent, one after the other or at once', async () => {
      const first = await send(bench.wire, 'ask_steps', pay)
      const asked = retryOf(first, { who: NAME })
      const seconds = await Promise.all([1, 2, 3].map(() => send(bench.wire, 'ask_steps', pay, asked)))
      const [second] = seconds
      if (second === undefined) throw new Error('no answer')
      for (const other of seconds) expect(other.result).toEqual(second.result)
      const sure = retryOf(second, { sure: accept({ yes: true }) })
      const lasts = [
        ...(await Promise.all([1, 2].map(() => send(bench.wire, 'ask_steps', pay, sure)))),
        await send(bench.wire, 'ask_steps', pay, sure),
      ]
      for (const last of lasts) expect(JSON.parse(textOf(last.result))).toEqual({ who: 'Eve', receipt: 1, sure: true })
      expect((await bench.control('read')).effects).toEqual({ charge: 1, finish: 1 })
    })

    it('whatever answers come with it later', async () => {
      const first = await send(bench.wire, 'ask_zod', {})
      const yes = await send(bench.wire, 'ask_zod', {}, retryOf(first, { elicitation_1: NAME }))
      const other = await send(
        bench.wire,
        'ask_zod',
        {},
        retryOf(first, { elicitation_1: accept({ name: 'Mallory' }) }),
      )
      expect(other.result).toEqual(yes.result)
      expect((await bench.control('read')).effects).toEqual({ ask_zod: 1 })
    })

    it('and two requests that ask the same are two chains', async () => {
      const [one, two] = [await send(bench.wire, 'ask_zod', {}), await send(bench.wire, 'ask_zod', {})]
      expect(textOf((await send(bench.wire, 'ask_zod', {}, retryOf(one, { elicitation_1: NAME }))).result)).toBe(
        'hello Eve',
      )
      expect(
        textOf(
          (await send(bench.wire, 'ask_zod', {}, retryOf(two, { elicitation_1: accept({ name: 'Ada' }) }))).result,
        ),
      ).toBe('hello Ada')
    })
  })
}

function limitSuite(bench: Bench): void {
  describe('limits', () => {
    it('maxRounds bounds the rounds of a request', async () => {
      const wire = await bench.variant()
      let outcome = await send(wire, 'ask_forever', {})
      for (const round of [1, 2, 3]) {
        expect(keysOf(outcome)).toEqual([`round${round}`])
        outcome = await send(wire, 'ask_forever', {}, retryOf(outcome, { [`round${round}`]: NAME }))
      }
      expect(outcome.error).toMatchObject({ code: -32603, message: expect.stringContaining('maxRounds') })
    })

    it('maxStateLength bounds the state', async () => {
      const fits = await send(bench.wire, 'ask_large', { size: 40_000 })
      expect(String(fits.result.requestState).length).toBeLessThanOrEqual(64 * 1024)
      expect(textOf((await send(bench.wire, 'ask_large', { size: 40_000 }, retryOf(fits, { a: NAME }))).result)).toBe(
        'fits',
      )
      const { error } = await send(bench.wire, 'ask_large', { size: 60_000 })
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('maxStateLength') })
    })
  })
}
