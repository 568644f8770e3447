/** The faults that any server can be tried with: those of its network, or of its process and pipes. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, addAccount, createAccount } from './account.ts'
import { FaultLink, type FaultSubject } from './fault-link.ts'
import type { Seeded } from './seeded.ts'

interface ServerCell {
  /** As numbered in the matrix of `docs/reference/reliability.md`; 0 for none. */
  readonly fault: number
  readonly about: string
  readonly way: 'http' | 'stdio' | 'both'
  run(subject: FaultSubject, seeded: Seeded): Promise<Account>
}

const CALLS = 16
const START_MS = 60_000

/** Calls through a fault on one connection. */
function through(
  strike: (link: FaultLink, seeded: Seeded) => unknown,
  options: { readonly calls?: number; readonly mayTimeOut?: boolean } = {},
): ServerCell['run'] {
  return async (subject, seeded) => {
    const link = await FaultLink.open(subject)
    try {
      const calls = link.call(options.calls ?? CALLS, options)
      await strike(link, seeded)
      return await calls
    } finally {
      await link.close()
    }
  }
}

/** Every fourth piece of what passes is cut somewhere, and its connection reset. */
function resetSome(link: FaultLink, which: 'request' | 'response', { pick }: Seeded): void {
  const { proxy } = link
  if (proxy === undefined) return
  let pieces = 0
  proxy.hooks[which] = (bytes, passage) => {
    if (++pieces % 4 !== 1) return bytes
    const part = bytes.subarray(0, pick(bytes.length))
    setTimeout(() => passage.reset(), 5)
    if (which === 'request') return part
    passage.answer(part)
    return undefined
  }
}

const HTTP: readonly ServerCell[] = [
  { fault: 13, about: 'reset in the middle of requests', way: 'http', run: through((link, seeded) => resetSome(link, 'request', seeded)) },
  { fault: 13, about: 'reset in the middle of answers', way: 'http', run: through((link, seeded) => resetSome(link, 'response', seeded)) },
  { fault: 13, about: 'every connection reset at once', way: 'http', run: through((link) => link.proxy?.cut('reset')) },
  {
    fault: 15,
    about: 'no packets for half a second',
    way: 'http',
    run: through(async ({ proxy }) => {
      proxy?.hold()
      await sleep(500)
      proxy?.release()
    }),
  },
  {
    fault: 16,
    about: 'a few bytes at a time, both ways',
    way: 'http',
    run: through(({ proxy }) => {
      if (proxy !== undefined) proxy.pace = { bytes: 16, everyMs: 0 }
    }, { calls: 4 }),
  },
  {
    fault: 17,
    about: 'a reader that takes 10 kB a second',
    way: 'http',
    run: through(async ({ proxy }) => {
      if (proxy === undefined) return
      proxy.pace = { bytes: 1_000, everyMs: 100 }
      await sleep(1_000)
      proxy.pace = undefined
    }),
  },
] // biome-ignore format: a table

/** A signal to the process; what it leaves unanswered fails, and the client starts it again. */
const signalled = (signal: NodeJS.Signals) =>
  through((link) => {
    if (link.process > 0) process.kill(link.process, signal)
  })

const STDIO: readonly ServerCell[] = [
  { fault: 2, about: 'kill -9 with calls in flight', way: 'stdio', run: signalled('SIGKILL') },
  { fault: 6, about: 'SIGTERM with calls in flight', way: 'stdio', run: signalled('SIGTERM') },
  {
    fault: 7,
    about: 'SIGSTOP, then SIGCONT',
    way: 'stdio',
    run: through(async (link) => {
      if (link.process === 0) return
      process.kill(link.process, 'SIGSTOP')
      await sleep(500)
      process.kill(link.process, 'SIGCONT')
    }),
  },
  { fault: 5, about: 'its standard input ends: it does, too', way: 'stdio', run: endInput },
  {
    fault: 12,
    about: '200 calls at once while it does not read',
    way: 'stdio',
    run: async (subject) => {
      const link = await FaultLink.open(subject)
      try {
        const pid = link.process
        if (pid > 0) process.kill(pid, 'SIGSTOP')
        const calls = link.call(200)
        await sleep(200)
        if (pid > 0) process.kill(pid, 'SIGCONT')
        return await calls
      } finally {
        await link.close()
      }
    },
  },
  {
    fault: 16,
    about: 'a few bytes at a time, both ways',
    way: 'stdio',
    run: (subject, seeded) => through(() => {}, { calls: 4 })(trickled(subject), seeded),
  },
]

const BOTH: readonly ServerCell[] = [
  // What is missing here is missing below, too, whatever the fault.
  { fault: 0, about: 'nothing breaks, for comparison', way: 'both', run: through(() => {}) },
  {
    fault: 22,
    about: 'cancellation races with the answer',
    way: 'both',
    async run(subject, { random }) {
      const total = createAccount()
      const link = await FaultLink.open(subject)
      try {
        for (let batch = 0; batch < 4; batch++) {
          const controllers = Array.from({ length: CALLS }, () => new AbortController())
          const timers = controllers.map((one) => setTimeout(() => one.abort(), random() * 40))
          addAccount(total, await link.call(CALLS, { signals: controllers.map(({ signal }) => signal) }))
          for (const timer of timers) clearTimeout(timer)
        }
        return total
      } finally {
        await link.close()
      }
    },
  },
]

/** In the order of the matrix. */
export const SERVER_CELLS: readonly ServerCell[] = [...HTTP, ...STDIO, ...BOTH].sort((a, b) => a.fault - b.fault)

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'faults', version: '1.0.0' } },
}

/** A server on pipes has no other word for the end than the end of its input. */
async function endInput({ target, timeoutMs }: FaultSubject): Promise<Account> {
  const account = { ...createAccount(), sent: 1 }
  if (typeof target === 'string') return account
  const { command, args = [], cwd, env } = target
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env: { ...process.env, ...env } }),
  })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', () => {})
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify(HELLO)}\n`)
  // Once it has said a word it is up; how long that takes is not what this is about.
  await Promise.race([once(child.stdout, 'data'), exited, sleep(START_MS, undefined, { ref: false })])
  child.stdout.resume()
  child.stdin.end()
  const timer = setTimeout(() => {
    account.hung++
    child.kill('SIGKILL')
  }, timeoutMs)
  await exited
  clearTimeout(timer)
  if (account.hung === 0) account.answered++
  return account
}

/** A program between the client and the server that passes 16 bytes at a time. */
const TRICKLE = `
const child = require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] })
const pass = async (from, to) => {
  for await (const bytes of from)
    for (let at = 0; at < bytes.length; at += 16) await new Promise((done) => to.write(bytes.subarray(at, at + 16), done))
  to.end()
}
pass(process.stdin, child.stdin).catch(() => {})
pass(child.stdout, process.stdout).catch(() => {})
child.on('exit', (code) => process.exit(code ?? 1))
`

function trickled(subject: FaultSubject): FaultSubject {
  const { target } = subject
  if (typeof target === 'string') return subject
  return {
    ...subject,
    target: { ...target, command: process.execPath, args: ['-e', TRICKLE, target.command, ...(target.args ?? [])] },
  }
}
