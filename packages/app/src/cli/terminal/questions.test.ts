import type { Question } from '@portico/host/consent'
import { describe, expect, it } from 'vitest'
import { createPaint, type Io } from './io.ts'
import { createTerminalQuestions } from './questions.ts'
import type { Terminal } from './terminal.ts'

const effect = { kind: 'call', server: 'desk', tool: 'greet', arguments: {} }
// Only what the questions read of it is there.
const question = {
  id: '1',
  server: 'desk',
  body: { kind: 'approval', effect, reason: 'No rule', warnings: [] },
} as unknown as Question

async function answer(...lines: string[]): Promise<{ readonly given: unknown; readonly prompts: string[] }> {
  const prompts: string[] = []
  const terminal = {
    dialogue: (work: () => Promise<unknown>) => work(),
    ask: async (prompt: string) => {
      prompts.push(prompt)
      return lines.shift()
    },
  } as unknown as Terminal
  const parts = { say: () => {}, stderr: {}, paint: createPaint(false), signal: new AbortController().signal }
  const io = parts as unknown as Io
  return { given: await createTerminalQuestions(io, terminal).ask(question), prompts }
}

describe('an answer in the terminal', () => {
  it('is offered in the words of the page', async () => {
    const { prompts } = await answer('y')
    expect(prompts).toEqual(['  [y] Allow  [n] Deny  [e] Edit  [s] Allow for this session  [a] Always allow › '])
  })

  it.each([
    ['y', { action: 'allow' }],
    ['allow', { action: 'allow' }],
    ['Yes', { action: 'allow' }],
    ['n', { action: 'deny' }],
    ['deny', { action: 'deny' }],
    ['a', { action: 'allow', remember: 'always' }],
    ['always allow', { action: 'allow', remember: 'always' }],
    ['session', { action: 'allow', remember: 'session' }],
  ])('"%s" means what it says', async (line, meant) => {
    const { given } = await answer(line)
    expect(given).toMatchObject(meant)
    expect((given as { remember?: unknown }).remember).toBe((meant as { remember?: unknown }).remember)
  })

  it.each(['al', 'd', 'yy', 'constructor'])('"%s" is asked again', async (line) => {
    const { given, prompts } = await answer(line, 'n')
    expect([given, prompts.length]).toEqual([{ action: 'deny', by: 'terminal' }, 2])
  })
})
