import { expect, it } from 'vitest'
import { createElicitation } from './asking.ts'
import { createPaint, type Io } from './io.ts'
import type { Terminal } from './terminal.ts'

type Form = NonNullable<ReturnType<typeof createElicitation>['form']>

const flag = { type: 'boolean', title: 'Go ahead?' } as const

it.each([
  { properties: { confirm: flag }, answers: ['y'], asked: 1, content: { confirm: true } },
  { properties: { confirm: flag }, answers: ['n'], asked: 1, content: { confirm: false } },
  { properties: { a: flag, b: flag }, answers: ['y', 'n', 'y'], asked: 3, content: { a: true, b: false } },
])('newcomer 20: a form with one yes or no is one question ($asked for $answers)', async (row) => {
  const left = [...row.answers]
  // Only these are used to ask a form.
  const io = { paint: createPaint(false), say: () => {} } as unknown as Io
  const terminal = {
    ask: async () => left.shift(),
    dialogue: (work: () => Promise<unknown>) => work(),
  } as unknown as Terminal
  const form = createElicitation(io, 'run', terminal).form as Form
  const requestedSchema = { type: 'object' as const, properties: row.properties, required: Object.keys(row.properties) }
  const params = { message: 'Do it?', requestedSchema } as unknown as Parameters<Form>[0]
  const context = { signal: new AbortController().signal } as unknown as Parameters<Form>[1]
  expect(await form(params, context)).toEqual({ action: 'accept', content: row.content })
  expect(row.answers.length - left.length).toBe(row.asked)
})
