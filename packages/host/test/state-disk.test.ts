/** Disks that fail, and processes that are killed, while something of the state folder is changed. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { PathLike } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTaskBook, type KeptTask } from '../src/assembly/tasks/task-book.ts'
import { createStateFile, settleState } from '../src/config/state-file.ts'
import { createSeal } from '../src/config/trust/seal.ts'
import { createGrants } from '../src/consent/grants.ts'
import type { Answer } from '../src/consent/question.ts'
import type { Effect } from '../src/policy/effect.ts'
import type { Pin } from '../src/upstream/pins/pin.ts'
import { createPinFile } from '../src/upstream/pins/pin-file.ts'
import { createPinStore } from '../src/upstream/pins/pins.ts'

/** What the disk does with drafts: fails when they are made, or when they are written. */
const disk = vi.hoisted(() => ({ opening: undefined as string | undefined, writing: undefined as string | undefined }))

vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original()
  const failure = (code: string, syscall: string) => Object.assign(new Error(`${code}: ${syscall}`), { code, syscall })
  const open: typeof real.open = async (path: PathLike, ...rest) => {
    const isDraft = String(path).endsWith('.tmp')
    if (isDraft && disk.opening !== undefined) throw failure(disk.opening, 'open')
    const handle = await real.open(path, ...rest)
    const { writing } = disk
    if (isDraft && writing !== undefined) {
      handle.writeFile = async (data) => {
        await handle.write(String(data).slice(0, 5))
        throw failure(writing, 'write')
      }
    }
    return handle
  }
  return { ...real, open, default: { ...real, open } }
})

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-disk-'))
})
afterEach(async () => {
  Object.assign(disk, { opening: undefined, writing: undefined })
  await rm(folder, { recursive: true, force: true })
})

function createNumbers(file: string, onWarning: (message: string) => void = () => {}) {
  return createStateFile<readonly number[]>({
    file,
    onWarning,
    empty: [],
    read: (text) => JSON.parse(text),
    write: (value) => JSON.stringify(value),
  })
}

const task: KeptTask = {
  label: 'abcdefgh',
  taskId: 't',
  server: 's',
  identity: 'i',
  tool: 'x',
  generation: 'core',
  status: 'working',
  startedAt: 1,
  updatedAt: 1,
}

/** Each keeps something at the first call, and more at the second. */
const STORES: {
  readonly [name: string]: (file: string) => { write(at: number): Promise<unknown>; read(): Promise<unknown> }
} = {
  'a state file': (file) => {
    const state = createNumbers(file)
    return { write: (at) => state.update((all) => [...all, at]), read: () => state.get() }
  },
  tasks: (file) => {
    const book = createTaskBook({ file })
    return { write: (at) => book.keep({ ...task, label: `label-${at}` }), read: () => book.list() }
  },
  grants: (file) => {
    const open = createGrants({ file })
    const about = { session: 's', unattended: false, tainted: false, at: 0 }
    const answer: Answer = { action: 'allow', remember: 'always', breadth: 'item' }
    const effectOf = (at: number): Effect => ({
      kind: 'call',
      server: 's',
      tool: `t${at}`,
      arguments: {},
      trusted: false,
    })
    return {
      write: async (at) => (await open).remember(effectOf(at), answer, about),
      read: async () => (await open).list(),
    }
  },
}

const FAILURES = [
  ['full', 'writing', 'ENOSPC', /disk is full. Free/],
  ['full for this user', 'writing', 'EDQUOT', /quota/],
  ['out of order', 'writing', 'EIO', /health/],
  ['read only', 'opening', 'EROFS', /Make it writable/],
  ['not for this user', 'opening', 'EACCES', /right to/],
  ['out of descriptors', 'opening', 'EMFILE', /ulimit -n/],
] as const

describe.each(Object.keys(STORES))('reliability disks: %s', (name) => {
  test.each(FAILURES)(
    'on a disk that is %s: a typed error that says what to do, the old content, no rest, and recovery',
    async (_, when, code, remedy) => {
      const file = join(folder, 'kept.json')
      const store = STORES[name]?.(file)
      await store?.write(1)
      const [before, text] = [await store?.read(), await readFile(file)]
      disk[when] = code
      await expect(store?.write(2)).rejects.toMatchObject({
        code: 'state-unwritable',
        message: expect.stringMatching(remedy),
      })
      expect(await store?.read()).toEqual(before)
      expect(await readFile(file)).toEqual(text)
      expect((await readdir(folder)).filter((entry) => entry.endsWith('.tmp') || entry.includes('damaged'))).toEqual([])
      disk[when] = undefined
      await store?.write(2)
      expect(await store?.read()).not.toEqual(before)
    },
  )
})

describe('reliability disks: pins', () => {
  const pinOf = (fingerprint: string): Pin => ({
    approved: { fingerprint, meaning: {}, at: 1, by: 'person' },
    present: true,
  })

  test.each(FAILURES)(
    'on a disk that is %s: a word that says what to do, and what could not be written is there after the next try (sec-635)',
    async (_, when, code, remedy) => {
      const warnings: string[] = []
      const pins = createPinFile(join(folder, 'pins.json'), (message) => warnings.push(message))
      pins.write('s', 'tool a', pinOf('1'))
      await pins.flush()
      disk[when] = code
      pins.write('s', 'tool b', pinOf('2'))
      await pins.flush()
      expect(warnings).toEqual([expect.stringMatching(remedy)])
      expect([...(pins.read().get('s') ?? [])].map(([key]) => key)).toEqual(['tool a'])
      pins.write('s', 'tool a', pinOf('3'))
      await pins.flush()
      disk[when] = undefined
      await pins.flush()
      expect(pins.read().get('s')?.get('tool b')).toEqual(pinOf('2'))
      expect(pins.read().get('s')?.get('tool a')).toEqual(pinOf('3'))
    },
  )

  test('that cannot be read for now are not taken for damaged ones, nor for none (sec-635)', async () => {
    const file = join(folder, 'pins.json')
    // Opens, and cannot be read.
    await mkdir(file)
    expect(() => createPinStore({ file })).toThrow(expect.objectContaining({ code: 'state-unwritable' }))
    expect(await readdir(folder)).toEqual(['pins.json'])
  })
})

test('reliability disks: a file that cannot be read for now is not taken for a damaged one', async () => {
  const warnings: string[] = []
  const file = join(folder, 'kept.json')
  const failing = createStateFile<string>({
    file,
    onWarning: (message) => warnings.push(message),
    empty: '',
    read: () => {
      throw Object.assign(new Error('ESTALE: stale file handle, read'), { code: 'ESTALE', syscall: 'read' })
    },
    write: (value) => value,
  })
  await writeFile(file, 'precious')
  await expect(failing.get()).rejects.toMatchObject({ code: 'ESTALE' })
  expect(await readFile(file, 'utf8')).toBe('precious')
  expect(warnings).toEqual([])
})

test('reliability disks: a file cut at any byte is read whole or set aside with a word, and never stops the store', async () => {
  const file = join(folder, 'kept.json')
  await createNumbers(file).update(() => [1, 22, 333])
  const whole = await readFile(file)
  for (let length = 0; length < whole.length; length++) {
    await writeFile(file, whole.subarray(0, length))
    const warnings: string[] = []
    const state = createNumbers(file, (message) => warnings.push(message))
    expect(await state.get()).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('set aside')])
    expect(await state.update((all) => [...all, 4])).toEqual([4])
  }
})

test('reliability disks: a process that is killed while it changes a file loses nothing that it was told is kept', async () => {
  const file = join(folder, 'kept.json')
  const program = join(folder, 'writer.mts')
  const source = new URL('../src/config/state-file.ts', import.meta.url).href
  await writeFile(
    program,
    `import { createStateFile } from ${JSON.stringify(source)}
    const state = createStateFile({ file: ${JSON.stringify(file)}, empty: 0, read: Number, write: (value) => String(value).padEnd(200_000) })
    for (;;) console.log(await state.update((value) => value + 1))`,
  )
  let acknowledged = 0
  for (let life = 0; life < 2; life++) {
    const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=portico-source', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const goal = acknowledged + 10
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged = Math.max(acknowledged, Number(line))
      if (acknowledged >= goal) child.kill('SIGKILL')
    }
    await ended
  }
  const state = createStateFile<number>({ file, empty: 0, read: Number, write: String })
  expect(await state.get()).toBeGreaterThanOrEqual(acknowledged)
  // What the killed ones had begun goes with the next change.
  await writeFile(`${file}.left-behind.tmp`, 'half')
  await state.update((value) => value)
  expect((await readdir(folder)).filter((entry) => entry.endsWith('.tmp'))).toEqual([])
}, 600_000)

test('reliability disks: whoever waits for the folder to settle finds nothing being written in it', async () => {
  const state = createNumbers(join(folder, 'kept.json'))
  const done: number[] = []
  for (const at of [1, 2, 3]) void state.update((all) => [...all, at]).then(() => done.push(at))
  await settleState(`${folder}/`)
  expect(done.length).toBe(3)
  await settleState(folder)
})

test('reliability disks: a key that cannot be had for now is asked for again', async () => {
  const place = join(folder, 'sealed')
  const seal = createSeal({ file: join(place, 'secrets.json'), mark: 'mark:' })
  await writeFile(place, 'in the way')
  await expect(seal.close('text')).rejects.toMatchObject({ code: 'secret-missing' })
  await rm(place)
  expect(await seal.open(await seal.close('text'))).toBe('text')
  expect(await readdir(place)).toEqual(['secrets.json.key'])
})
