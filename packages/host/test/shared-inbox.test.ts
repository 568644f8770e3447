/** Two processes over one state folder: what waits in one is seen and answered in the other. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHost } from '../src/assembly/host.ts'
import { createInbox, type Inbox, type InboxEvent } from '../src/consent/inbox.ts'
import { createQuestionFile } from '../src/consent/question-file.ts'

let stateDir: string
let children: ChildProcess[] = []
let inboxes: Inbox[] = []
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'portico-shared-'))
})
afterEach(async () => {
  for (const child of children) if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  for (const inbox of inboxes) await inbox.close()
  children = []
  inboxes = []
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
})

const root = resolve(import.meta.dirname, '../../..')
const file = () => join(stateDir, 'inbox.json')

interface Other {
  readonly child: ChildProcess
  /** What it prints, one value after the other. */
  next(): Promise<{ readonly waiting?: boolean; readonly answer?: object; readonly left?: number }>
}

function start(kind = 'approval'): Other {
  const script = join(root, 'packages/host/test/inbox-process.ts')
  const loader = import.meta.resolve('tsx')
  const child = spawn(process.execPath, ['--conditions=portico-source', `--import=${loader}`, script, stateDir, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, next: async () => JSON.parse((await lines.next()).value ?? '{}') }
}

async function follow(): Promise<Inbox> {
  const inbox = await createInbox({ file: file(), follow: true })
  inboxes.push(inbox)
  return inbox
}

const seen = (inbox: Inbox) => inbox.pending().filter(({ elsewhere }) => elsewhere === true)
const slow = { timeout: 20_000 }

describe('a question of another process (host 32, sec-266)', () => {
  it.each(['approval', 'form'])('of kind %s is seen, and the answer reaches it', { timeout: 60_000 }, async (kind) => {
    const inbox = await follow()
    const events: InboxEvent['type'][] = []
    inbox.on(({ type }) => events.push(type))
    const other = start(kind)
    expect(await other.next()).toEqual({ waiting: true })
    await expect.poll(() => seen(inbox).length, slow).toBe(1)
    const [question] = seen(inbox)
    expect(inbox.answer(question?.id ?? '', { action: 'allow', remember: 'session', by: 'elsewhere' })).toBe('accepted')
    expect(await other.next()).toEqual({ answer: { action: 'allow', remember: 'session', by: 'elsewhere' }, left: 0 })
    expect(seen(inbox)).toEqual([])
    expect(inbox.answer(question?.id ?? '', { action: 'deny' })).toBe('already-settled')
    expect(events).toEqual(['asked', 'answered'])
  })

  it('disappears with its process', { timeout: 60_000 }, async () => {
    const inbox = await follow()
    const other = start()
    await other.next()
    await expect.poll(() => seen(inbox).length, slow).toBe(1)
    other.child.kill('SIGKILL')
    await expect.poll(() => inbox.pending().length, slow).toBe(0)
  })

  it('is not answered by whatever the program around a host does by itself', { timeout: 60_000 }, async () => {
    let asked = 0
    const host = await createHost({
      stateDir,
      ask: () => {
        asked++
        return { action: 'allow' }
      },
    })
    const other = start()
    await other.next()
    await expect.poll(() => seen(host.inbox).length, slow).toBe(1)
    expect(asked).toBe(0)
    await host.close()
  })

  it('takes no answer to other words than it was asked in, and nobody else’s', async () => {
    const [one, two] = [await follow(), await follow()]
    const body = { kind: 'roots', offered: ['/x'] } as const
    const answer = one.ask({ server: 'a', session: 's', principal: 'ada', body })
    await expect.poll(() => seen(two).length, slow).toBe(1)
    const [question] = seen(two)
    const id = question?.id ?? ''
    expect(two.answer(id, { action: 'allow' }, { principal: 'bob' })).toBe('not-yours')
    const forger = createQuestionFile(file(), { pid: process.pid, id: 'forger' })
    forger.answer({ id, digest: 'sha256:other', answer: { action: 'allow' } })
    await forger.flush()
    two.answer(id, { action: 'deny' }, { principal: 'ada' })
    expect(await answer).toEqual({ action: 'deny' })
  })

  it('is sealed in the file', async () => {
    const inbox = await follow()
    void inbox.ask({ server: 'a', session: 's', body: { kind: 'roots', offered: ['/canary'] } }).catch(() => {})
    await expect.poll(() => readFile(file(), 'utf8').catch(() => ''), slow).not.toBe('')
    expect(await readFile(file(), 'utf8')).not.toContain('canary')
  })
})
