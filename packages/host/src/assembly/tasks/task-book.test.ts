import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTaskBook,
  type KeptTask,
  labelOfTask,
  MAX_KEPT_OF_SERVER,
  MAX_KEPT_TASKS,
  MAX_TASK_BYTES,
} from './task-book.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-tasks-'))
  file = join(folder, 'tasks.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function task(taskId: string, more: Partial<KeptTask> = {}): KeptTask {
  const identity = more.identity ?? 'one'
  return {
    label: labelOfTask(identity, taskId),
    taskId,
    server: 'reports',
    identity,
    tool: 'report',
    generation: 'extension',
    status: 'working',
    startedAt: 1,
    updatedAt: 1,
    ...more,
  }
}

describe('the tasks of a state folder', () => {
  it('are there for the next process, whole, in the order in which they began', async () => {
    const kept = [task('a', { call: { session: 's', arguments: { x: 1 }, byModel: true } }), task('b')]
    for (const one of kept) expect(await createTaskBook({ file }).keep(one)).toBe(true)
    expect(await createTaskBook({ file }).list()).toEqual(kept)
  })

  it('are sealed and for their owner alone: neither ids nor arguments can be read in the file (sec-400)', async () => {
    const secret = task('id-that-is-a-key', { call: { session: 's', arguments: { pin: 'hunter2' }, byModel: false } })
    await createTaskBook({ file }).keep(secret)
    const names = (await readdir(folder)).filter((name) => name.startsWith('tasks.json'))
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      if (process.platform !== 'win32') expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
      expect(await readFile(join(folder, name), 'latin1')).not.toMatch(/id-that-is-a-key|hunter2/)
    }
  })

  it('are set aside where somebody else has written the file (sec-400)', async () => {
    await createTaskBook({ file }).keep(task('a'))
    await writeFile(file, JSON.stringify({ version: 1, tasks: [task('forged')] }))
    const warnings: string[] = []
    expect(await createTaskBook({ file, onWarning: (message) => void warnings.push(message) }).list()).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('set aside')])
  })

  it('are all kept when several processes write at once', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `t${at}`)
    await Promise.all(ids.map((id) => createTaskBook({ file }).keep(task(id))))
    expect((await createTaskBook({ file }).list()).map(({ taskId }) => taskId).sort()).toEqual(ids.sort())
  })

  it('have labels that do not tell the id, and are others for another server', () => {
    const [one, other] = [labelOfTask('one', 'secret'), labelOfTask('two', 'secret')]
    expect([one, other]).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/), expect.not.stringMatching(one)])
  })
})

describe('bounds of what is remembered (sec-401)', () => {
  it('hold for one server and for all, and what runs stays before what is over', async () => {
    const book = createTaskBook()
    await book.keep(task('runs', { identity: 'busy' }))
    for (let at = 0; at < MAX_KEPT_OF_SERVER; at++) {
      await book.keep(task(`done${at}`, { identity: 'busy', status: 'completed' }))
    }
    const busy = await book.list()
    expect([busy.length, busy[0]?.taskId, busy[1]?.taskId]).toEqual([MAX_KEPT_OF_SERVER, 'runs', 'done1'])
    for (let at = 0; at < MAX_KEPT_TASKS; at++) await book.keep(task(`x${at}`, { identity: `server ${at}` }))
    expect((await book.list()).length).toBe(MAX_KEPT_TASKS)
  })

  it.each([
    [-1, true],
    [0, true],
    [1, false],
  ])('a task that is %i bytes above the largest is kept: %s', async (more, isKept) => {
    const book = createTaskBook()
    const made = (length: number) =>
      task('large', { call: { session: 's', arguments: { x: 'y'.repeat(length) }, byModel: true } })
    const frame = Buffer.byteLength(JSON.stringify(made(0)))
    expect(await book.keep(made(MAX_TASK_BYTES - frame + more))).toBe(isKept)
    expect((await book.list()).length).toBe(isKept ? 1 : 0)
  })

  it('cut what a server says about the state, and leave out what it has forgotten by now', async () => {
    const book = createTaskBook()
    await book.keep(task('wordy', { message: 'w'.repeat(10_000) }))
    await book.keep(task('old', { expiresAt: Date.now() - 1 }))
    await book.keep(task('lasting', { expiresAt: Date.now() + 60_000 }))
    const list = await book.list()
    expect(list.map(({ taskId, message }) => [taskId, message?.length])).toEqual([
      ['wordy', 500],
      ['lasting', undefined],
    ])
  })
})
