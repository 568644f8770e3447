/** Real processes: one with more descriptors than were once looked at, and below it one that holds memory in a file. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterEach, expect, it } from 'vitest'
import { HeldMemory } from './memory-held.ts'

const MEGABYTE = 1_048_576
const HIDDEN = 32 * MEGABYTE

const CHILD = `
const { openSync, unlinkSync, writeSync } = require('node:fs')
const path = '/dev/shm/portico-test-' + process.pid
const file = openSync(path, 'wx+')
unlinkSync(path)
console.log('empty')
process.stdin.once('data', () => {
  const part = Buffer.alloc(${MEGABYTE})
  for (let i = 0; i < ${HIDDEN / MEGABYTE}; i++) writeSync(file, part)
  console.log('full')
})`

/** Node has seven threads and more: 3,800 descriptors are 26,600 to look at where each thread is asked for all of them. */
const PARENT = `
const { openSync } = require('node:fs')
for (let i = 0; i < Number(process.argv[1]); i++) openSync('/dev/null')
require('node:child_process').spawn(process.execPath, ['-e', process.argv[2]], { stdio: 'inherit' })`

let kill = (): void => {}
afterEach(() => kill())

function start(descriptors: number) {
  const child = spawn(process.execPath, ['-e', PARENT, String(descriptors), CHILD], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const { pid = 0 } = child
  kill = () => void process.kill(-pid, 'SIGKILL')
  const lines = createInterface({ input: child.stdout })
  return { pid, stdin: child.stdin, said: async (): Promise<unknown> => (await once(lines, 'line'))[0] }
}

it.skipIf(!existsSync('/dev/shm'))('sec-703: many descriptors hide nothing of what a child holds', async () => {
  const { pid, stdin, said } = start(3_800)
  expect(await said()).toBe('empty')
  const held = new HeldMemory(pid)
  const before = await held.look()
  const full = said()
  stdin.write('now\n')
  expect(await full).toBe('full')
  expect((await held.look()) - before).toBeGreaterThan(HIDDEN * 0.9)
})

it.skipIf(!existsSync('/proc/self/fd'))('sec-703: more descriptors than can be looked at are too much', async () => {
  const { pid, said } = start(300)
  expect(await said()).toBe('empty')
  expect(await new HeldMemory(pid, 250).look()).toBe(Number.POSITIVE_INFINITY)
  expect(await new HeldMemory(pid).look()).toBeLessThan(1024 * MEGABYTE)
})
