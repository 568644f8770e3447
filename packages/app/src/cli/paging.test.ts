import type { Question } from '@portico/host/consent'
import { describe, expect, it } from 'vitest'
import { toPages } from './paging.ts'
import type { Io } from './terminal/io.ts'
import { createTerminalQuestions } from './terminal/questions.ts'
import type { Terminal } from './terminal/terminal.ts'

describe('pages (sec-269)', () => {
  it.each([
    ['short text', 'one\ntwo', 1],
    ['as many lines as fit', Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n'), 1],
    ['one line more', Array.from({ length: 21 }, (_, at) => `line ${at}`).join('\n'), 2],
    ['one endless line', 'x'.repeat(80 * 20 * 3 + 1), 4],
    ['lines that are longer than the screen', Array.from({ length: 11 }, () => 'y'.repeat(81)).join('\n'), 2],
  ])('of %s hold all of it', (_, text, count) => {
    const pages = toPages(text, 24, 80)
    expect(pages).toHaveLength(count)
    expect(pages.flat().join('').replaceAll('\n', '')).toBe(text.replaceAll('\n', ''))
  })
})

describe('a question in the terminal shows the whole of what runs (sec-269)', () => {
  const lines = Array.from({ length: 100 }, (_, at) => `statement ${at}`)
  const effect = { kind: 'call', server: 'a', tool: 'run', arguments: { code: lines }, trusted: false } as const
  const question: Question = {
    id: 'q',
    server: 'a',
    session: 's',
    createdAt: 0,
    body: { kind: 'approval', effect, reason: 'r', warnings: [] },
  }

  /** A person who types these, one after the other. */
  async function put(typed: readonly string[], stderr = { rows: 24, columns: 80 }) {
    const said: string[] = []
    const plain = (text: string) => text
    const paint = new Proxy({}, { get: () => plain })
    const io = {
      say: (text: string) => said.push(text),
      paint,
      stderr,
      signal: new AbortController().signal,
    } as unknown as Io
    const answers = [...typed]
    const terminal: Terminal = {
      ask: async (prompt) => {
        said.push(prompt)
        return answers.shift()
      },
      dialogue: (work) => work(),
    }
    const answer = await createTerminalQuestions(io, terminal).ask(question)
    return { answer, said: said.join('\n'), left: answers.length }
  }

  it('by pages, each statement of it, before it asks', async () => {
    const { answer, said } = await put(['', '', '', '', '', 'y'])
    expect(answer?.action).toBe('allow')
    for (const line of lines) expect(said).toContain(`"${line}"`)
    expect(said.indexOf('statement 99')).toBeLessThan(said.indexOf('[y] Allow'))
    expect(said).toContain('page 1 of 6')
  })

  it('newcomer M8: by pages of a usual size on a terminal that says it is 0×0', async () => {
    const { said } = await put(['', '', '', '', '', 'y'], { rows: 0, columns: 0 })
    expect(said).toContain('page 1 of 6')
  })

  it('and takes nobody for agreeing who did not read on', async () => {
    const { answer, said } = await put(['', 'q'])
    expect(answer?.action).toBe('deny')
    expect(said).not.toContain('[y] Allow')
  })
})
