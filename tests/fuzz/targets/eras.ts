/**
 * Handlers of all shapes, each on all five revisions: steps, loops, questions, branches, failures. Whatever the way a
 * question takes, the caller gets the same result, every effect happens once, the person is asked the same number of
 * times, and progress never goes back.
 */

import fc from 'fast-check'
import { connect } from '../../../packages/sdk/src/doors/client.ts'
import type { AskingContext } from '../../../packages/sdk/src/doors/server.ts'
import { createServer, ToolError, tool } from '../../../packages/sdk/src/doors/server.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../../../packages/sdk/src/protocol/revision.ts'
import { demand, opened, type Target } from '../target.ts'

type Value = 'count' | 'date' | 'undefined' | 'members' | 'map' | 'later'
type Failure = 'at once' | 'later' | 'no error'

type Act =
  | { do: 'step'; name: string; value: Value }
  | { do: 'failing step'; name: string; how: Failure }
  | { do: 'step in step'; name: string; inner: string }
  | { do: 'asking step'; name: string }
  | { do: 'ask'; key: string | undefined; kind: 'elicit' | 'sample' | 'roots' }
  | { do: 'progress'; at: number }
  | { do: 'loop'; times: number; numbered: boolean; acts: Act[] }
  | { do: 'together'; branches: Act[][] }
  | { do: 'throw'; how: 'tool error' | 'error' }

const name = fc.constantFrom('a', 'b', 'c', 'd')
const value = fc.constantFrom<Value>('count', 'date', 'undefined', 'members', 'map', 'later')
const step: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('step' as const), name, value }),
  fc.record({
    do: fc.constant('failing step' as const),
    name,
    how: fc.constantFrom<Failure>('at once', 'later', 'no error'),
  }),
)
const kind = fc.constantFrom('elicit' as const, 'sample' as const, 'roots' as const)
const ask = fc.record({ do: fc.constant('ask' as const), key: fc.option(name, { nil: undefined }), kind })
const progress = fc.record({ do: fc.constant('progress' as const), at: fc.nat(9) })
const plain: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: step },
  { weight: 4, arbitrary: ask },
  { weight: 2, arbitrary: progress },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('step in step' as const), name, inner: name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('asking step' as const), name }) },
)
const loop: fc.Arbitrary<Act> = fc.record({
  do: fc.constant('loop' as const),
  times: fc.integer({ min: 1, max: 3 }),
  numbered: fc.boolean(),
  acts: fc.array(plain, { minLength: 1, maxLength: 3 }),
})
// Branches race, so the names in each are its own: which of two comes first is nobody's promise.
const together: fc.Arbitrary<Act> = fc.record({
  do: fc.constant('together' as const),
  branches: fc.array(fc.array(fc.oneof(step, ask), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 3 }),
})
const ending: fc.Arbitrary<Act> = fc.record({
  do: fc.constant('throw' as const),
  how: fc.constantFrom('tool error' as const, 'error' as const),
})
const handler = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 2, arbitrary: loop },
    { weight: 2, arbitrary: together },
    { weight: 1, arbitrary: ending },
  ),
  { minLength: 1, maxLength: 6 },
)

export const eras: Target = {
  name: 'eras',
  about: 'the same handler on all five revisions',
  open: () =>
    opened({
      arbitrary: handler,
      async run(acts) {
        const all = usesForms(acts) ? PROTOCOL_VERSIONS.filter((version) => version >= '2025-06-18') : PROTOCOL_VERSIONS
        const outcomes = await Promise.all(all.map((version) => play(acts, version)))
        const [first] = outcomes
        for (const [index, outcome] of outcomes.entries()) {
          const where = `on ${all[index]} and ${all[0]}`
          for (const what of ['result', 'effects', 'questions'] as const) {
            const [here, there] = [JSON.stringify(outcome[what]), JSON.stringify(first?.[what])]
            demand(here === there, `${what} differ ${where}: ${here} and ${there}`)
          }
          demand(
            outcome.progress.every((at, place) => place === 0 || at > (outcome.progress[place - 1] ?? at)),
            `progress goes back on ${all[index]}: ${outcome.progress}`,
          )
          demand(`${outcome.progress}` === `${first?.progress}`, `progress differs ${where}: ${outcome.progress}`)
          for (const [effect, times] of outcome.effects) demand(times === 1, `"${effect}" happened ${times} times`)
        }
      },
    }),
}

interface Played {
  readonly result: unknown
  readonly effects: [name: string, times: number][]
  readonly questions: number
  readonly progress: number[]
}

async function play(acts: readonly Act[], version: ProtocolVersion): Promise<Played> {
  const effects = new Map<string, number>()
  const progress: number[] = []
  let questions = 0
  const server = createServer({
    name: 'eras',
    version: '1',
    maxRounds: 100,
    slow: false,
    onError: () => {},
    tools: { play: tool({}, async (_, ctx) => JSON.stringify(await new Player(ctx, effects).all(acts, ''))) },
  })
  const client = await connect(server, {
    versions: version,
    limits: { maxRounds: 100 },
    elicitation: {
      form: () => {
        questions++
        return { action: 'accept', content: { text: 'yes' } }
      },
    },
    sampling: () => {
      questions++
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'said' } }
    },
    roots: () => {
      questions++
      return [{ uri: 'file:///here' }]
    },
  })
  try {
    const answer = await client.callTool('play', {}, { onProgress: (report) => progress.push(report.progress) })
    const result = JSON.parse(JSON.stringify(answer.content).replace(/Reference: [\w-]+/, 'Reference'))
    return { result, effects: [...effects].sort(([a], [b]) => (a < b ? -1 : 1)), questions, progress }
  } finally {
    await client.close()
  }
}

/** Acts a handler out and notes what each act gave. */
class Player {
  readonly #ctx: AskingContext
  readonly #effects: Map<string, number>

  constructor(ctx: AskingContext, effects: Map<string, number>) {
    this.#ctx = ctx
    this.#effects = effects
  }

  async all(acts: readonly Act[], suffix: string): Promise<unknown[]> {
    const noted: unknown[] = []
    for (const act of acts) noted.push(act.do === 'throw' ? fail(act.how) : await this.#one(act, suffix))
    return noted
  }

  async #one(act: Exclude<Act, { do: 'throw' }>, suffix: string): Promise<unknown> {
    if (act.do === 'loop') {
      const rounds: unknown[] = []
      for (let round = 0; round < act.times; round++) {
        rounds.push(await this.all(act.acts, act.numbered ? `${suffix}-${round}` : suffix))
      }
      return rounds
    }
    if (act.do === 'together') {
      return Promise.all(act.branches.map((branch, index) => this.all(named(branch, index), `${suffix}/${index}`)))
    }
    if (act.do === 'progress') return this.#ctx.progress(act.at)
    try {
      return { given: await this.#effectful(act, suffix) }
    } catch (error) {
      // The end of a run passes through; anything else is what the handler sees.
      if (error instanceof Error && error.name === 'Suspended') throw error
      return { failed: error instanceof Error ? `${error.name}: ${error.message}` : error }
    }
  }

  #effectful(act: Exclude<Act, { do: 'throw' | 'loop' | 'together' | 'progress' }>, suffix: string): Promise<unknown> {
    if (act.do === 'ask') return this.#ask(act.kind, act.key === undefined ? undefined : act.key + suffix)
    const name = act.name + suffix
    return this.#ctx.step(name, () => {
      this.#effects.set(name, (this.#effects.get(name) ?? 0) + 1)
      if (act.do === 'step') return produce(act.value, name)
      if (act.do === 'failing step') return failStep(act.how)
      if (act.do === 'asking step') return this.#ask('sample', `in ${name}`)
      return this.#effectful({ do: 'step', name: act.inner, value: 'count' }, suffix)
    })
  }

  #ask(kind: 'elicit' | 'sample' | 'roots', key: string | undefined): Promise<unknown> {
    const form = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
    const question = { message: 'Say something', form }
    if (kind === 'roots') return this.#ctx.roots(key)
    if (kind === 'elicit') return key === undefined ? this.#ctx.elicit(question) : this.#ctx.elicit(key, question)
    const prompt = { prompt: 'Say something' }
    return key === undefined ? this.#ctx.sample(prompt) : this.#ctx.sample(key, prompt)
  }
}

function produce(value: Value, name: string): unknown {
  if (value === 'date') return new Date(0)
  if (value === 'undefined') return undefined
  if (value === 'members') return { name, none: undefined, deep: [{ at: new Date(1) }] }
  if (value === 'map') return new Map([[name, 1]])
  return value === 'later' ? new Promise((resolve) => setImmediate(resolve, name)) : name.length
}

function failStep(how: Failure): never | Promise<never> {
  const error = how === 'no error' ? 'a plain text' : new RangeError(`failed ${how}`)
  if (how !== 'later') throw error
  return new Promise((_, reject) => setImmediate(reject, error))
}

function fail(how: 'tool error' | 'error'): never {
  throw how === 'error' ? new Error('private') : new ToolError('the tool says no')
}

function named(branch: readonly Act[], index: number): Act[] {
  return branch.map((act, place) => (act.do === 'ask' ? { ...act, key: `${index}.${place}` } : act))
}

function usesForms(acts: readonly Act[]): boolean {
  return acts.some((act) => {
    if (act.do === 'loop') return usesForms(act.acts)
    return act.do === 'together' ? act.branches.some(usesForms) : act.do === 'ask' && act.kind === 'elicit'
  })
}
