/** The tools of the fixture that ask the client: every kind of question, alone and in company. */

import { z } from 'zod'
import { tool } from '../../src/server/items/definition.ts'
import type { FixtureState } from './fixture-state.ts'

/** Every kind of field that a form may have, in the newest spelling. */
export const FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Your name', minLength: 1, maxLength: 20, default: 'Ada' },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
    size: { type: 'number', minimum: 0.5, maximum: 2.5 },
    agree: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['red', 'green'] },
    plan: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
      default: 's',
    },
    legacy: { type: 'string', enum: ['x', 'y'], enumNames: ['Ex', 'Why'] },
    days: {
      type: 'array',
      items: { type: 'string', enum: ['mon', 'tue', 'wed'] },
      minItems: 1,
      maxItems: 2,
      default: ['mon'],
    },
    toppings: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'h', title: 'Ham' },
          { const: 'c', title: 'Cheese' },
        ],
      },
    },
  },
  required: ['name', 'agree'],
} as const

const NAME = z.object({ name: z.string() })

export function askingTools(state: FixtureState) {
  const count = (name: string): number => {
    state.effects[name] = (state.effects[name] ?? 0) + 1
    return state.effects[name]
  }
  return { ...singleQuestions(state, count), ...roundTrips(state, count) }
}

function singleQuestions(state: FixtureState, count: (name: string) => number) {
  return {
    ask_form: tool({}, async (_, ctx) => ctx.elicit('form', { message: 'Fill this in', form: FORM })),
    ask_zod: tool({ input: z.object({ note: z.string().optional() }) }, async (_, ctx) => {
      const answer = await ctx.elicit({ message: 'Your name?', form: NAME })
      count('ask_zod')
      return answer.action === 'accept' ? `hello ${answer.content.name}` : answer.action
    }),
    ask_bad_form: tool({}, async (_, ctx) => {
      await ctx.elicit({ message: 'Tags?', form: z.object({ tags: z.array(z.string()) }) })
    }),
    ask_url: tool({}, async (_, ctx) => {
      const answer = await ctx.elicit({ message: 'Sign in', url: 'https://example.com/login' })
      return answer.action
    }),
    ask_url_done: tool({}, async (_, ctx) => {
      const answer = await ctx.elicit('login', {
        message: 'Sign in',
        url: 'https://example.com/login',
        done: () => state.done,
      })
      return answer.action
    }),
    ask_bad_url: tool(
      {},
      async (_, ctx) => (await ctx.elicit({ message: 'Sign in', url: 'http://example.com/login' })).action,
    ),
    ask_sample: tool({}, async (_, ctx) => {
      const answer = await ctx.sample({
        prompt: 'Say hi',
        systemPrompt: 'Be brief',
        maxTokens: 7,
        temperature: 0.5,
        stopSequences: ['!'],
        modelPreferences: { hints: [{ name: 'small' }], costPriority: 1, speedPriority: 0.5, intelligencePriority: 0 },
      })
      return { model: answer.model, content: answer.content }
    }),
    ask_sample_rich: tool({}, async (_, ctx) => {
      const answer = await ctx.sample({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'one' },
              { type: 'text', text: 'two' },
              { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
            ],
          },
        ],
      })
      return { model: answer.model }
    }),
    ask_sample_tools: tool({}, async (_, ctx) => {
      const answer = await ctx.sample({
        messages: [
          { role: 'user', content: { type: 'text', text: 'What is the weather?' } },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'u1', name: 'weather', input: { city: 'Rome' } }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', toolUseId: 'u1', content: [{ type: 'text', text: 'sunny' }] }],
          },
        ],
        tools: [{ name: 'weather', inputSchema: { type: 'object' } }],
        toolChoice: { mode: 'auto' },
      })
      return { stopReason: answer.stopReason ?? null }
    }),
    ask_sample_unpaired: tool({}, async (_, ctx) => {
      await ctx.sample({
        messages: [{ role: 'user', content: [{ type: 'tool_result', toolUseId: 'nobody', content: [] }] }],
      })
    }),
    ask_roots: tool({}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri)),
  }
}

function roundTrips(state: FixtureState, count: (name: string) => number) {
  return {
    ask_two: tool({}, async (_, ctx) => {
      const [first, second] = await Promise.all([
        ctx.elicit('a', { message: 'A?', form: NAME }),
        ctx.elicit('b', { message: 'B?', form: NAME }),
      ])
      return `${first.content?.name} ${second.content?.name}`
    }),
    /** Asked together, awaited one after the other: the second rejection has no reader yet. */
    ask_two_apart: tool({}, async (_, ctx) => {
      const first = ctx.elicit('a', { message: 'A?', form: NAME })
      const second = ctx.elicit('b', { message: 'B?', form: NAME })
      const names = [(await first).content?.name, (await second).content?.name]
      return names.join(' ')
    }),
    /** Two rounds with an effect in a step between them, and one at the end. */
    ask_steps: tool({ input: z.object({ amount: z.number() }) }, async ({ amount }, ctx) => {
      const who = await ctx.elicit('who', { message: 'Who?', form: NAME })
      const receipt = await ctx.step('charge', () => count('charge'))
      const sure = await ctx.elicit('sure', { message: `Pay ${amount}?`, form: z.object({ yes: z.boolean() }) })
      count('finish')
      return { who: who.content?.name, receipt, sure: sure.content?.yes }
    }),
    /** A step that is still running when a question goes out. */
    ask_beside_step: tool({}, async (_, ctx) => {
      const slow = async (): Promise<string> => {
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
        count('slow')
        return 'slow'
      }
      const [step, answer] = await Promise.all([
        ctx.step('slow', slow),
        ctx.elicit('name', { message: 'Name?', form: NAME }),
      ])
      return `${step} ${answer.content?.name}`
    }),
    /** Goes on after it was suspended: nothing of that may count. */
    ask_stubborn: tool({}, async (_, ctx) => {
      try {
        const answer = await ctx.elicit('a', { message: 'A?', form: NAME })
        return answer.content?.name
      } catch {
        await ctx.step('stubborn', () => count('stubborn')).catch(() => {})
        await ctx.elicit('b', { message: 'B?', form: NAME })
        return 'must not be seen'
      }
    }),
    ask_changing: tool({}, async (_, ctx) => {
      const answer = await ctx.elicit('k', { message: state.question, form: NAME })
      return `${state.question}: ${answer.content?.name}`
    }),
    ask_same_key: tool({}, async (_, ctx) => {
      await Promise.all([
        ctx.elicit('k', { message: 'A?', form: NAME }),
        ctx.elicit('k', { message: 'B?', form: NAME }),
      ])
    }),
    ask_forever: tool({}, async (_, ctx) => {
      for (let round = 1; ; round++) await ctx.elicit(`round${round}`, { message: `Round ${round}?`, form: NAME })
    }),
    ask_large: tool({ input: z.object({ size: z.number() }) }, async ({ size }, ctx) => {
      await ctx.step('large', () => 'x'.repeat(size))
      await ctx.elicit('a', { message: 'A?', form: NAME })
      return 'fits'
    }),
    wrapped_ask: tool({}, async (_, ctx) => (await ctx.elicit({ message: 'A?', form: NAME })).content?.name ?? 'none'),
  }
}
