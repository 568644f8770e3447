/**
 * The fault suite's server as a program. Each execution is written to the ledger and synced before and after its
 * effect, so that whatever becomes of this process, the suite knows what it did. The argument is a `ServerPlan`.
 */

import { spawn } from 'node:child_process'
import { fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveHttp } from '@portico/sdk/http'
import { createPrincipal, createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { duplicateEvents } from './duplicate-events.ts'
import { PATIENT } from './patient.ts'
import { answerTo, type ServerPlan, type WorkArguments } from './server-plan.ts'

const plan = JSON.parse(process.argv[2] ?? '{}') as ServerPlan
const ledger = openSync(plan.ledger, 'a')

function note(what: string, subject: string | number): void {
  writeSync(ledger, `${what} ${subject}\n`)
  if (plan.sync !== false) fsyncSync(ledger)
}

note('boot', process.pid)
if (plan.stillborn?.includes(countLives())) process.exit(3)

const members = {
  nonce: { type: 'string' },
  ms: { type: 'number' },
  steps: { type: 'number' },
  size: { type: 'number' },
  fault: { type: 'string' },
  blockMs: { type: 'number' },
} as const

const server = createServer({
  name: 'faulty',
  version: '1.0.0',
  tools: {
    work: tool({ input: { type: 'object', properties: members, required: ['nonce'] } }, async (args, ctx) => {
      const { nonce, ms = 0, steps = 0, size, fault, blockMs = 0 } = args as unknown as WorkArguments
      if (fault === 'kill-before') process.kill(process.pid, 'SIGKILL')
      note('start', nonce)
      for (let step = 1; step <= steps; step++) {
        ctx.progress(step, steps)
        await sleep(ms / steps)
      }
      if (steps === 0 && ms > 0) await sleep(ms)
      if (fault === 'block') for (const until = Date.now() + blockMs; Date.now() < until; );
      if (fault === 'heap') exhaust()
      note('done', nonce)
      if (fault === 'kill-after') process.kill(process.pid, 'SIGKILL')
      if (fault === 'exit') process.exit(0)
      const text = answerTo(nonce)
      if (size === undefined) return text
      const half = { type: 'text' as const, text: 'x'.repeat(size / 2) }
      return { content: [{ type: 'text' as const, text }, half, half] }
    }),
    // Its name tells one life of the server from the next, so that a client can be asked what it believes.
    [`life-${process.pid}`]: tool({}, () => 'alive'),
  },
  resources: {},
})

if (plan.grandchild) {
  spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'inherit' })
}
if (plan.link === 'stdio') {
  distort()
  serveStdio(server, { graceMs: plan.graceMs })
} else {
  if (plan.duplicateEvents) duplicateEvents()
  const { tokenFile, metadata } = plan
  const http = await serveHttp(server, {
    port: plan.port ?? 0,
    graceMs: plan.graceMs,
    limits: { keepAliveMs: plan.keepAliveMs ?? 15_000, ...PATIENT },
    ...(plan.eventsFull && { events: fullStore }),
    ...(tokenFile !== undefined && {
      authenticate: (head) => {
        const bearer = head.header('authorization')
        if (bearer === `Bearer ${readFileSync(tokenFile, 'utf8')}`) return createPrincipal('tester')
        return { status: 401, message: 'no', headers: ['www-authenticate', `Bearer resource_metadata="${metadata}"`] }
      },
    }),
  })
  process.on('SIGTERM', () => void http.close().then(() => process.exit(0)))
  process.stdout.write(`${http.port}\n`)
}

function countLives(): number {
  return readFileSync(plan.ledger, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('boot ')).length
}

function exhaust(): void {
  const held: unknown[] = []
  for (;;) held.push(new Array(100_000).fill(held.length))
}

function fullStore() {
  return {
    size: 0,
    append() {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    },
    replay: () => [],
    drop() {},
  }
}

/** Puts itself between the server and standard output. */
function distort(): void {
  const { stdout, cut } = plan
  if (stdout === undefined && cut === undefined) return
  const { stdout: out } = process
  const write = out.write.bind(out)
  let held = ''
  let lines = 0
  let trickling = Promise.resolve()
  const trickle = (bytes: Buffer): void => {
    trickling = trickling.then(async () => {
      for (const byte of bytes) await new Promise((resolve) => write(Buffer.of(byte), resolve))
    })
  }
  const pass = (text: string): void => {
    for (const line of text.split('\n').slice(0, -1)) {
      lines++
      if (cut !== undefined && line.includes(answerTo(cut.nonce))) breakOff(line)
      if (stdout === 'duplicate') write(`${line}\n${line}\n`)
      else if (stdout === 'crlf') write(`${lines === 1 ? '\uFEFF' : ''}${line}\r\n`)
      else if (stdout === 'noise') write(`${noise(lines)}${line}\n`)
      else if (stdout === 'trickle') trickle(Buffer.from(`${line}\n`))
      else if (stdout === 'reorder' && lines > 1) {
        // Two neighbours change places; nothing is held back for long.
        if (held === '') {
          held = `${line}\n`
          setTimeout(() => {
            write(held)
            held = ''
          }, 20)
        } else write(`${line}\n`)
      } else write(`${line}\n`)
    }
  }
  // Only strings come this way, and nobody here waits for the callback but the end of the process.
  out.write = ((text: string, done?: () => void) => {
    pass(text)
    done?.()
    return true
  }) as typeof out.write
}

/** What a careless program prints: lines of its own, half a message, and text without an end of line before one. */
function noise(line: number): string {
  return ['[info] ready\n', '', '{"jsonrpc":"2.0","id":\n', 'loading...', '\n\n', '42\n'][line % 6] ?? ''
}

function breakOff(line: string): never {
  const bytes = Buffer.from(`${line}\n`)
  const utf8 = bytes.indexOf(Buffer.from('漢')) + 1
  const at = { header: 5, json: bytes.length >> 1, utf8, end: bytes.length - 1 }[cut().at]
  writeSync(1, bytes.subarray(0, at))
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}

function cut(): NonNullable<ServerPlan['cut']> {
  return plan.cut ?? { nonce: '', at: 'header' }
}
