/** The file of questions: what is not sealed by us is not believed, and what is written can be read again. */

import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createInbox, type Inbox } from './inbox.ts'
import type { Question } from './question.ts'
import { createQuestionFile } from './question-file.ts'
import { digestOf } from './shared-questions.ts'

let folder: string
let inboxes: Inbox[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-questions-'))
})
afterEach(async () => {
  for (const inbox of inboxes) await inbox.close()
  inboxes = []
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const path = () => join(folder, 'inbox.json')
const OTHER = { pid: process.pid, id: 'other' }
const ALWAYS = { action: 'allow', remember: 'always', breadth: 'server' } as const

function approval(id: string, server = 'git', text = ''): Question {
  const effect = { kind: 'call', server, tool: 'push', arguments: { text }, trusted: false } as const
  const body = { kind: 'approval', effect, reason: 'asked', warnings: [] } as const
  return { id, server, session: 's', createdAt: 1, expiresAt: Date.now() + 60_000, body }
}

async function open(): Promise<{ inbox: Inbox; answered: string[]; warnings: string[] }> {
  const [answered, warnings]: string[][] = [[], []]
  const inbox = await createInbox({ file: path(), follow: true, onWarning: (message) => warnings!.push(message) })
  inboxes.push(inbox)
  inbox.on((event) => event.type === 'answered' && answered!.push(event.question.id))
  return { inbox, answered: answered!, warnings: warnings! }
}

describe('a file that somebody planted (sec-287)', () => {
  it.each([['before there is a key'], ['where there is a key']])('in clear, %s, is set aside', async (when) => {
    if (when === 'where there is a key') {
      const own = createQuestionFile(path(), OTHER)
      own.add(approval('own'))
      await own.flush()
    }
    const planted = approval('planted')
    const answer = { id: 'planted', digest: digestOf(planted), answer: ALWAYS }
    await writeFile(path(), JSON.stringify({ version: 1, questions: [planted], answers: [answer] }))
    const { inbox, warnings } = await open()
    expect([inbox.pending(), warnings.length]).toEqual([[], 1])
    expect(inbox.answer('planted', ALWAYS)).toBe('unknown')
    expect((await readdir(folder)).some((name) => name.startsWith('inbox.json.damaged-'))).toBe(true)
  })

  it('answers nothing that nobody waits for', { timeout: 30_000 }, async () => {
    const other = createQuestionFile(path(), OTHER)
    const left = approval('left')
    other.add(left)
    other.release('left')
    await other.flush()
    const { inbox, answered } = await open()
    expect(inbox.pending().map(({ id }) => id)).toEqual(['left'])
    other.answer({ id: 'left', digest: digestOf(left), answer: ALWAYS })
    await other.flush()
    // Somebody waits for this one; it is taken from the same file, after the other.
    const asked = inbox.ask({ server: 'a', session: 's', body: { kind: 'roots', offered: ['/x'] } })
    const living = inbox.pending().find(({ id }) => id !== 'left')!
    await expect.poll(async () => (await other.load()).questions.length, { timeout: 20_000 }).toBe(2)
    other.answer({ id: living.id, digest: digestOf(living), answer: { action: 'deny' } })
    expect(await asked).toEqual({ action: 'deny' })
    expect(answered).toEqual([living.id])
    expect(inbox.pending().map(({ id }) => id)).toEqual(['left'])
  })
})

describe('what is written (sec-288)', () => {
  it.each([
    ['letters of one byte', 'x'],
    ['letters of three bytes', '問'],
    ['letters of four bytes', '😀'],
    ['letters that JSON escapes', '\u0001'],
  ])('can be read again, and leaves room for other servers: %s', { timeout: 60_000 }, async (_, letter) => {
    const warnings: string[] = []
    const file = createQuestionFile(path(), OTHER, (message) => warnings.push(message))
    const size = Math.floor(60_000 / letter.length)
    for (let at = 0; at < 90; at++) file.add(approval(`loud ${at}`, 'loud', letter.repeat(size)))
    for (let at = 0; at < 20; at++) file.add(approval(`quiet ${at}`, `quiet ${at}`, letter.repeat(2_000)))
    await file.flush()
    for (let at = 0; at < 100; at++) {
      const content = { text: letter.repeat(20_000) }
      file.answer({ id: `quiet ${at % 20}`, digest: 'd', answer: { action: 'allow', content } })
    }
    await file.flush()
    expect((await stat(path())).size).toBeLessThanOrEqual(8 * 1_048_576)
    const { questions, answers } = await createQuestionFile(path(), OTHER, (message) => warnings.push(message)).load()
    expect(warnings).toEqual([])
    expect(questions.filter(({ question }) => question.server !== 'loud')).toHaveLength(20)
    expect(answers.at(-1)?.id).toBe('quiet 19')
  })

  it('is full at many loud servers, and still read', { timeout: 60_000 }, async () => {
    const warnings: string[] = []
    const file = createQuestionFile(path(), OTHER, (message) => warnings.push(message))
    for (let at = 0; at < 400; at++) file.add(approval(`${at}`, `loud ${at % 20}`, '問'.repeat(20_000)))
    await file.flush()
    const { questions } = await file.load()
    expect(warnings).toEqual([])
    expect(questions.length).toBeGreaterThan(50)
  })

  it('is no answer that is too large: whoever gives it is told', () => {
    const content = { text: '問'.repeat(100_000) }
    const answer = { id: 'a', digest: 'd', answer: { action: 'allow', content } } as const
    expect(() => createQuestionFile(path(), OTHER).answer(answer)).toThrow(/too large/)
  })
})
