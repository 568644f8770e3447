import { expect, it } from 'vitest'
import type { AuditSink } from '../../audit/record.ts'
import { createTaskBook, type KeptTask } from './task-book.ts'
import { TaskRecords } from './task-records.ts'

const TASK: KeptTask = {
  label: 'abcd1234',
  taskId: '1',
  server: 'mail',
  identity: 'x',
  tool: 'report',
  generation: 'core',
  status: 'working',
  startedAt: 1,
  updatedAt: 1,
  call: { session: 'gone', arguments: {}, byModel: false },
}

/** Nothing that is tried here is noted. */
const AUDIT = {} as AuditSink

function open(warnings: string[] = []) {
  const book = createTaskBook()
  return { book, records: new TaskRecords({ book, audit: AUDIT, warn: (message) => void warnings.push(message) }) }
}

/** As `follower` is looked at by a process that is not the one that follows. */
const isFree = ({ follower }: KeptTask): boolean => follower === undefined

it('sec-720: of two processes that want a task at once, one has it', async () => {
  const { book, records } = open()
  await book.keep(TASK)
  const claims = await Promise.all([
    records.claim(TASK.label, isFree, 'first', 1),
    records.claim(TASK.label, isFree, 'second', 2),
  ])
  expect(claims).toMatchObject([{ call: { session: 'first' }, follower: 1 }, undefined])
  expect(await book.list()).toMatchObject([{ call: { session: 'first' }, follower: 1 }])
})

it('sec-720: a claim leaves what was written meanwhile as it is', async () => {
  const { book, records } = open()
  await book.keep(TASK)
  await book.change(TASK.label, (task) => ({ ...task, status: 'input_required', updatedAt: 9 }))
  await records.claim(TASK.label, isFree, 'first')
  expect(await book.list()).toMatchObject([{ status: 'input_required', updatedAt: 9, follower: process.pid }])
})

it('sec-720: what is handed over, or cannot be written down, is not claimed', async () => {
  const warnings: string[] = []
  const { book, records } = open(warnings)
  await book.keep({ ...TASK, delivered: true })
  expect(await records.claim(TASK.label, isFree)).toBeUndefined()
  const full = {
    ...book,
    change: async (_label: string, change: (task: KeptTask) => KeptTask) => {
      change(TASK)
      throw new Error('disk full')
    },
  }
  const failing = new TaskRecords({
    book: full,
    audit: AUDIT,
    warn: (text) => void warnings.push(text),
  })
  expect(await failing.claim(TASK.label, isFree)).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('disk full')])
})
