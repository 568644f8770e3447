import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askForm, type FormSchema } from './form.ts'
import { createPaint, type Io } from './io.ts'
import { createTerminal, type Terminal } from './terminal.ts'

it('newcomer 22: progress is held while a question is open, and goes on afterwards', async () => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough().resume()]
  let held = 0
  const holdProgress = (): (() => void) => {
    held++
    return () => void held--
  }
  // Only these are used to ask.
  const io = { stdin, stderr, holdProgress } as unknown as Io
  const asked = createTerminal(io).ask('How many? ')
  expect(held).toBe(1)
  stdin.write('3\n')
  expect(await asked).toBe('3')
  expect(held).toBe(0)
})

it('newcomer 22: a prompt shows between what a number and a length have to be', async () => {
  const prompts: string[] = []
  const ask = async (prompt: string): Promise<string> => {
    prompts.push(prompt)
    return prompts.length === 3 ? 'abc' : '3'
  }
  const io = { paint: createPaint(false), say: () => {} } as unknown as Io
  const properties = {
    stars: { type: 'integer', minimum: 0, maximum: 5 },
    weight: { type: 'number', minimum: 1 },
    word: { type: 'string', minLength: 2, maxLength: 9 },
  } as const
  const schema: FormSchema = { type: 'object', properties, required: Object.keys(properties) }
  await askForm(schema, { ask } as unknown as Terminal, io)
  expect(prompts).toEqual([
    '  stars (integer; 0 to 5): ',
    '  weight (number; at least 1): ',
    '  word (2 to 9 characters): ',
  ])
})
