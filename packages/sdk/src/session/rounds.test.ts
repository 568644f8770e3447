import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../jsonrpc/message.ts'
import { HandlerRun } from './handler-run.ts'
import { type Question, Rounds } from './rounds.ts'
import { type StateBinding, StateSealer } from './sealed-state.ts'
import { Suspended } from './suspended.ts'

const BINDING: StateBinding = { server: 's', principal: undefined, method: 'tools/call', digest: 'd' }
const asking = (message: string): Question => ({ method: 'elicitation/create', params: { message } })
const read = ({ value }: JsonObject): string | undefined => (typeof value === 'string' ? value : undefined)

interface Sent {
  inputRequests: JsonObject
  requestState: string
}

/** One run of `handler` over the given rounds, as the endpoint would do it. */
class Bench {
  readonly #sealer = new StateSealer()
  readonly #maxRounds: number

  constructor(maxRounds = 10) {
    this.#maxRounds = maxRounds
  }

  async run(handler: (rounds: Rounds) => Promise<unknown>, state?: string, responses: JsonObject = {}) {
    let sent: Sent | undefined
    let failed: unknown
    const options = {
      sealer: this.#sealer,
      maxRounds: this.#maxRounds,
      run: new HandlerRun(),
      progress: { reached: -Infinity },
      suspend: (result: Sent) => {
        sent = result
      },
      fail: (error: unknown) => {
        failed = error
      },
    }
    const rounds =
      state === undefined
        ? Rounds.first(options, BINDING, responses)
        : await Rounds.resume(options, BINDING, state, responses)
    const outcome = await handler(rounds).catch((error: unknown) => error)
    return { sent, failed, outcome, id: rounds.id }
  }
}

describe('Rounds', () => {
  it('suspends with a branded error, so that `finally` runs', async () => {
    const finished = vi.fn()
    const { sent, outcome } = await new Bench().run(async (rounds) => {
      try {
        await rounds.ask('a', asking('A?'), read)
      } finally {
        finished()
      }
    })
    expect(outcome).toBeInstanceOf(Suspended)
    expect(finished).toHaveBeenCalledOnce()
    expect(sent?.inputRequests).toEqual({ a: asking('A?') })
  })

  it('hands out answers in later runs and names each round apart', async () => {
    const bench = new Bench()
    const handler = async (rounds: Rounds) => [
      await rounds.ask('a', asking('A?'), read),
      await rounds.ask('b', asking('B?'), read),
    ]
    const first = await bench.run(handler)
    const second = await bench.run(handler, first.sent?.requestState, { a: { value: '1' } })
    expect(Object.keys(second.sent?.inputRequests ?? {})).toEqual(['b'])
    const third = await bench.run(handler, second.sent?.requestState, { b: { value: '2' } })
    expect(third.outcome).toEqual(['1', '2'])
    expect(new Set([first.id, second.id, third.id]).size).toBe(3)
    expect(second.id.split('.')[0]).toBe(first.id.split('.')[0])
  })

  it('keeps an answer that no ask of this run has looked at', async () => {
    const bench = new Bench()
    const both = async (rounds: Rounds) =>
      Promise.all([rounds.ask('a', asking('A?'), read), rounds.ask('b', asking('B?'), read)])
    const first = await bench.run(both)
    // This run asks something else before it comes to `b`.
    const detour = await bench.run(
      async (rounds) => {
        await rounds.ask('a', asking('A?'), read)
        await rounds.ask('c', asking('C?'), read)
        return rounds.ask('b', asking('B?'), read)
      },
      first.sent?.requestState,
      { a: { value: '1' }, b: { value: '2' } },
    )
    expect(Object.keys(detour.sent?.inputRequests ?? {})).toEqual(['c'])
    const last = await bench.run((rounds) => rounds.ask('b', asking('B?'), read), detour.sent?.requestState, {
      c: { value: '3' },
    })
    expect(last.outcome).toBe('2')
  })

  it('asks again when the question under a key is another', async () => {
    const bench = new Bench()
    const first = await bench.run((rounds) => rounds.ask('k', asking('old'), read))
    const second = await bench.run((rounds) => rounds.ask('k', asking('new'), read), first.sent?.requestState, {
      k: { value: 'x' },
    })
    expect(second.sent?.inputRequests).toEqual({ k: asking('new') })
  })

  it('rejects what is asked after the questions went out', async () => {
    let late: unknown
    const step = vi.fn()
    await new Bench().run(async (rounds) => {
      await rounds.ask('a', asking('A?'), read).catch(() => {})
      late = await rounds.ask('b', asking('B?'), read).catch((error: unknown) => error)
      await rounds.step('s', step).catch(() => {})
    })
    expect(late).toBeInstanceOf(Suspended)
    expect(step).not.toHaveBeenCalled()
  })

  it('runs a step once over all rounds, and once however often it is called at a time', async () => {
    const bench = new Bench()
    const action = vi.fn(async () => 'done')
    const handler = async (rounds: Rounds) => {
      const steps = await Promise.all([rounds.step('s', action), rounds.step('s', action)])
      await rounds.ask('a', asking('A?'), read)
      return steps
    }
    const first = await bench.run(handler)
    const last = await bench.run(handler, first.sent?.requestState, { a: { value: 'x' } })
    expect(last.outcome).toEqual(['done', 'done'])
    expect(action).toHaveBeenCalledOnce()
  })

  it('sends its questions although a step threw at once, and leaves timers running (sdk D1)', async () => {
    const { sent } = await new Bench().run(async (rounds) => {
      const sold = rounds.step('reserve', () => {
        throw new Error('sold out')
      })
      await Promise.all([rounds.ask('a', asking('A?'), read), sold.catch(() => {})])
    })
    expect(sent?.inputRequests).toEqual({ a: asking('A?') })
  })

  it('takes `undefined` of a step for done', async () => {
    const bench = new Bench()
    const action = vi.fn(() => undefined)
    const handler = async (rounds: Rounds) => {
      await rounds.step('s', action)
      await rounds.ask('a', asking('A?'), read)
    }
    const first = await bench.run(handler)
    await bench.run(handler, first.sent?.requestState, { a: { value: 'x' } })
    expect(action).toHaveBeenCalledOnce()
  })

  it('says that a question changed between runs when there were too many rounds (sdk D10)', async () => {
    const bench = new Bench(1)
    const first = await bench.run((rounds) => rounds.ask('when', asking('now 1'), read))
    const answers = { when: { value: 'x' } }
    const changed = await bench.run(
      (rounds) => rounds.ask('when', asking('now 2'), read),
      first.sent?.requestState,
      answers,
    )
    expect(changed.failed).toMatchObject({ message: expect.stringContaining('the question "when" changed between') })
    const other = await bench.run((rounds) => rounds.ask('more', asking('?'), read), first.sent?.requestState, answers)
    expect(other.failed).toMatchObject({ message: expect.not.stringContaining('changed') })
  })

  it.each([1, 2, 3])('ends after maxRounds, here %i', async (maxRounds) => {
    const bench = new Bench(maxRounds)
    let state: string | undefined
    for (let round = 1; round <= maxRounds; round++) {
      const { sent } = await bench.run((rounds) => rounds.ask(`k${round}`, asking('?'), read), state)
      expect(sent).toBeDefined()
      state = sent?.requestState
    }
    const { sent, failed } = await bench.run((rounds) => rounds.ask('more', asking('?'), read), state)
    expect(sent).toBeUndefined()
    expect(failed).toMatchObject({ code: 'limit-exceeded', message: expect.stringContaining('maxRounds') })
  })
})
