/** Real processes throughout: what is promised here is what the operating system shows. */

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Malformed } from '../../jsonrpc/channel.ts'
import { type ChildChannel, type SpawnOptions, spawnChannel } from './child-process.ts'

const node = process.execPath
const open: ChildChannel[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((channel) => channel.kill()))
})

function start(options: SpawnOptions) {
  const channel = spawnChannel(options)
  open.push(channel)
  const messages: unknown[] = []
  const faults: Malformed[] = []
  let wake = (): void => {}
  let closings = 0
  const closed = new Promise<Error | undefined>((resolve) => {
    channel.open({
      message: (value) => {
        messages.push(value)
        wake()
      },
      malformed: (fault) => faults.push(fault),
      closed: (reason) => {
        closings++
        resolve(reason)
      },
    })
  })
  const next = async (): Promise<unknown> => {
    while (messages.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return messages.shift()
  }
  return { channel, messages, faults, closed, next, closings: () => closings }
}

const script = (source: string): SpawnOptions => ({ command: node, args: ['-e', source] })

/** Prints its pid as a message and then lives until somebody ends it. */
const FOREVER = `console.log(JSON.stringify({ pid: process.pid })); setInterval(() => {}, 1000)`
const STUBBORN = `process.on('SIGTERM', () => {}); ${FOREVER}`

/** Starts `source` in a process of its own that shares our output. */
const grandchild = (source: string, options = '') =>
  `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(source)}], { stdio: ['ignore', 'inherit', 'inherit'] ${options} });`

/** A process that ended but was not yet collected by its new parent does not run. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat[stat.lastIndexOf(')') + 2] !== 'Z'
  } catch {
    return false
  }
}

/** No event tells of the end of a process that is not our child. */
async function expectGone(pid: number): Promise<void> {
  const deadline = Date.now() + 5000
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} still runs`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

async function pidFrom(child: { next(): Promise<unknown> }): Promise<number> {
  const message = await child.next()
  return (message as { pid: number }).pid
}

describe('a running server', () => {
  it('sees only the allowed part of the environment and what is configured (sec-47)', async () => {
    process.env.PORTICO_TEST_SECRET = 'hidden'
    const child = start({ ...script('console.log(JSON.stringify(process.env))'), env: { API_KEY: 'given', TZ: 'UTC' } })
    const seen = (await child.next()) as { [name: string]: string }
    delete process.env.PORTICO_TEST_SECRET
    expect(seen).toMatchObject({ API_KEY: 'given', TZ: 'UTC', PATH: process.env.PATH })
    expect(Object.keys(seen)).not.toContain('PORTICO_TEST_SECRET')
    const allowed = /^(HOME|LANG|LC_\w+|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER|API_KEY|PWD|__CF_.*)$/
    expect(Object.keys(seen).filter((name) => !allowed.test(name))).toEqual([])
  })

  it('gets its arguments as they are, without a shell', async () => {
    const args = ['$HOME', '; echo no', '"quoted"', 'a b', '*', '']
    const child = start({ command: node, args: ['-p', 'JSON.stringify({ args: process.argv.slice(1) })', ...args] })
    expect(await child.next()).toEqual({ args })
  })

  it('may print noise around its messages (fault 11)', async () => {
    const child = start(
      script(`process.stdout.write('\\ufeff{"a":1}\\r\\nStarting...\\n[info] up\\n\\n{"b":2}\\n{"cut')`),
    )
    expect(await child.next()).toEqual({ a: 1 })
    expect(await child.next()).toEqual({ b: 2 })
    await child.closed
    expect(child.faults.map(({ kind }) => kind)).toEqual(['noise', 'noise', 'parse'])
  })

  it('may be chatty on stderr, of which the last lines are kept (sec-40)', async () => {
    const source = `for (let n = 0; n < 5000; n++) console.error('line ' + n); console.log('{}')`
    const child = start({ ...script(source), stderrLines: 3 })
    const lines: string[] = []
    child.channel.onStderr((line) => lines.push(line))
    expect(await child.next()).toEqual({})
    await child.closed
    expect(lines).toHaveLength(5000)
    expect(child.channel.stderrTail()).toBe('line 4997\nline 4998\nline 4999')
  })
})

describe('a server that cannot be started', () => {
  const rows = [
    { name: 'no such program', options: { command: 'no-such-program-here' }, text: 'not found on the path' },
    { name: 'no such folder', options: { command: node, cwd: '/no/such/folder' }, text: 'working directory' },
    { name: 'not permitted', options: { command: tmpdir() }, text: 'not permitted' },
  ]
  it.each(rows)('closes with connect-failed: $name', async ({ options, text }) => {
    const child = start(options)
    child.channel.send('{}')
    expect(await child.closed).toMatchObject({ code: 'connect-failed', delivery: 'not-sent' })
    expect((await child.closed)?.message).toContain(text)
    expect(await child.channel.exited).toEqual({ code: null, signal: null })
    await child.channel.close()
    expect(child.closings()).toBe(1)
  })

  it('refuses unusable arguments', () => {
    expect(() => spawnChannel({ command: node, args: ['a\0b'] })).toThrow(/cannot start/)
  })
})

describe('a server that goes', () => {
  const rows = [
    {
      name: 'with code 0 (fault 5)',
      source: `process.stdin.once('data', () => process.exit(0))`,
      how: 'exited with code 0',
    },
    { name: 'with code 3', source: `process.stdin.once('data', () => process.exit(3))`, how: 'exited with code 3' },
    {
      name: 'by kill -9 (fault 2)',
      source: `process.stdin.once('data', () => process.kill(process.pid, 'SIGKILL'))`,
      how: 'was ended by SIGKILL',
    },
    {
      name: 'with the line that says why (newcomer 17)',
      source: `process.stdin.once('data', () => { throw new TypeError('no database\\u001b[2J') })`,
      how: 'exited with code 1: TypeError: no database [2J',
    },
    {
      name: 'with its last line where none names an error (newcomer 17)',
      source: `process.stdin.once('data', () => process.stderr.write('starting\\nno key given\\n', () => process.exit(2)))`,
      how: 'exited with code 2: no key given',
    },
  ]
  it.each(rows)('closes the channel at once: $name', async ({ source, how }) => {
    const child = start(script(source))
    child.channel.send('{}')
    const reason = await child.closed
    expect(reason).toMatchObject({ code: 'closed' })
    expect(reason?.message).toContain(how)
    child.channel.send('{}')
    await child.channel.close()
    expect(child.closings()).toBe(1)
  })

  it('has its last words delivered first', async () => {
    const child = start(
      script(`for (let n = 0; n < 2000; n++) console.log(JSON.stringify({ n })); process.stdin.destroy()`),
    )
    child.channel.send('{}')
    await child.closed
    expect(child.messages).toHaveLength(2000)
  })

  it('has its last words on stderr read by a program that had no time to read them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-last-words-'))
    const heard = async (sign: string): Promise<string> => {
      const child = start(
        script(`console.log('{}'); const fs = require('node:fs'); fs.closeSync(1)
          while (!fs.existsSync(${JSON.stringify(sign)}));
          console.error('last words'); process.exit(1)`),
      )
      await child.next()
      await new Promise((resolve) => setTimeout(resolve, 100))
      // After a turn of the loop, so that the timers of the next one come before whatever there is to read.
      await new Promise((resolve) => setImmediate(resolve))
      // Too late on a busy machine: a process without output was not waited for.
      if (child.closings() > 0) return heard(`${sign}-`)
      writeFileSync(sign, '')
      const started = performance.now()
      const isOver = () => performance.now() > started + 300 && !isRunning(child.channel.pid ?? 0)
      while (!isOver() && performance.now() < started + 5000);
      await child.closed
      return child.channel.stderrTail()
    }
    expect(await heard(join(folder, 'sign'))).toBe('last words')
    await rm(folder, { recursive: true })
  })

  it('is reported when the channel is opened later', async () => {
    const channel = spawnChannel(script(`console.log('{"early":1}')`))
    open.push(channel)
    await channel.exited
    const messages: unknown[] = []
    await new Promise<void>((resolve) => {
      channel.open({ message: (value) => messages.push(value), malformed: () => {}, closed: () => resolve() })
    })
    expect(messages).toEqual([{ early: 1 }])
  })

  it('does not wait for a grandchild that holds the pipes, and ends it (fault 9)', async () => {
    const child = start(script(`${grandchild(FOREVER)} process.stdin.once('data', () => process.exit(0))`))
    const pid = await pidFrom(child)
    child.channel.send('{}')
    expect((await child.closed)?.message).toContain('exited with code 0')
    await expectGone(pid)
  })

  it('takes along a grandchild that ignores SIGTERM', async () => {
    const child = start({
      ...script(`${grandchild(STUBBORN)} process.stdin.once('data', () => process.exit(0))`),
      killMs: 100,
    })
    const pid = await pidFrom(child)
    child.channel.send('{}')
    await child.closed
    await child.channel.close()
    expect(isRunning(pid)).toBe(false)
  })

  it('leaves nothing when its wrapper is killed (fault 10)', async () => {
    // The trailing command keeps the shell from replacing itself with the server.
    const child = start({ command: 'sh', args: ['-c', `"${node}" -e '${FOREVER}'; true`] })
    const pid = await pidFrom(child)
    expect(pid).not.toBe(child.channel.pid)
    const shell = child.channel.pid
    if (shell === undefined) throw new Error('the shell has no number')
    process.kill(shell, 'SIGKILL')
    expect((await child.closed)?.message).toContain('SIGKILL')
    await expectGone(pid)
  })

  it('is ended when it only closes its output', async () => {
    const child = start(
      script(
        `console.log(JSON.stringify({ pid: process.pid })); require('node:fs').closeSync(1); setInterval(() => {}, 1000)`,
      ),
    )
    const pid = await pidFrom(child)
    expect((await child.closed)?.message).toContain('closed its output')
    await expectGone(pid)
  })
})

describe('close (sec-43)', () => {
  it('ends the input and lets the server finish', async () => {
    const child = start(script(`process.stdin.resume().on('end', () => { console.log('{"bye":1}'); process.exit(7) })`))
    await child.channel.close()
    expect(await child.closed).toBeUndefined()
    expect(child.messages).toEqual([{ bye: 1 }])
    expect(await child.channel.exited).toEqual({ code: 7, signal: null })
  })

  const ladder = [
    { name: 'SIGTERM to one that ignores the end of input', source: FOREVER, signal: 'SIGTERM' },
    { name: 'SIGKILL to one that ignores SIGTERM', source: STUBBORN, signal: 'SIGKILL' },
  ]
  it.each(ladder)('sends $name', async ({ source, signal }) => {
    const child = start({ ...script(source), closeMs: 50, killMs: 200 })
    const pid = await pidFrom(child)
    await Promise.all([child.channel.close(), child.channel.close()])
    expect(await child.channel.exited).toEqual({ code: null, signal })
    expect(isRunning(pid)).toBe(false)
    expect(child.closings()).toBe(1)
  })

  const families = [
    {
      name: 'behind a shell',
      options: { command: 'sh', args: ['-c', `"${node}" -e '${STUBBORN.replaceAll("'", `'"'"'`)}'; true`] },
    },
    { name: 'that started another', options: script(`${grandchild(STUBBORN)} setInterval(() => {}, 1000)`) },
    {
      name: 'whose child left the process group',
      options: script(`${grandchild(STUBBORN, ', detached: true')} setInterval(() => {}, 1000)`),
    },
    {
      name: 'that goes first, with a child outside the group',
      options: script(
        `${grandchild(FOREVER, ', detached: true')} process.stdin.resume().on('end', () => process.exit(0))`,
      ),
    },
  ]
  it.skipIf(process.platform === 'win32').each(families)('leaves no orphan of a server $name', async ({ options }) => {
    const child = start({ ...options, closeMs: 50, killMs: 200 })
    const pid = await pidFrom(child)
    expect(pid).not.toBe(child.channel.pid)
    await child.channel.close()
    // It was killed; when a busy machine lets it die is not the channel's to say.
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it('works on a channel that was never opened, though its server has much to say', async () => {
    const channel = spawnChannel(script(`process.stdout.write('x'.repeat(5_000_000)); process.stdin.resume()`))
    await channel.close()
    expect(await channel.exited).toEqual({ code: 0, signal: null })
  })

  it('does not wait for a server that stopped reading (fault 12)', async () => {
    const child = start({ ...script(FOREVER), closeMs: 50, killMs: 200 })
    await pidFrom(child)
    for (let n = 0; n < 1000; n++) child.channel.send(JSON.stringify({ n, padding: 'x'.repeat(10_000) }))
    await child.channel.close()
    expect(await child.closed).toBeUndefined()
  })
})

it('ends its servers when the program itself exits', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spawner-'))
  const file = join(folder, 'spawner.mts')
  const source = JSON.stringify(STUBBORN)
  await writeFile(
    file,
    `import { spawnChannel } from ${JSON.stringify(join(import.meta.dirname, 'child-process.ts'))}
     const channel = spawnChannel({ command: process.execPath, args: ['-e', ${source}] })
     channel.open({
       message: (value) => { console.log(JSON.stringify(value)); process.exit(0) },
       malformed: () => {}, closed: () => {},
     })`,
  )
  const spawner = spawn(node, [`--import=${import.meta.resolve('tsx')}`, file])
  let output = ''
  spawner.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  await new Promise((resolve) => spawner.once('close', resolve))
  await rm(folder, { recursive: true })
  await expectGone((JSON.parse(output) as { pid: number }).pid)
})
