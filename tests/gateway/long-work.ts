/**
 * Long work over the end of the gateway that began it: one process is told to end or, in the long form, killed, and another goes on with
 * the task at the server from the same file. The server does the work once.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import type { Trial } from '../support/suite.ts'

const FRONT = fileURLToPath(new URL('./long-work-front.ts', import.meta.url))

/** The trials; a killed process is only known to be dead once its lease has run out, after half a minute. */
export const LONG_WORK: readonly Trial[] = [
  { name: 'long work over the end of a gateway', run: () => tryEnd('SIGTERM') },
  { name: 'long work over the death of a gateway', long: true, run: () => tryEnd('SIGKILL') },
]

async function tryEnd(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-long-work-'))
  const far = await openFar()
  try {
    const first = await openFront(folder, far.url)
    const before = await connect(first.url)
    const { task } = await before.startTool('far_slow')
    if (task === undefined) throw new Error('the call did not become a task')
    await far.begun
    // How far it is comes from the server's own task, once that is noted.
    for await (const { statusMessage } of (await before.resumeTask(task.taskId)).updates())
      if (statusMessage !== undefined) break
    await before.close()
    await first.end(signal)
    const second = await openFront(folder, far.url)
    const after = await connect(second.url)
    const run = await after.resumeTask(task.taskId)
    far.finish()
    const { content } = await run.result()
    await after.close()
    await second.end('SIGTERM')
    if (JSON.stringify(content) !== '[{"type":"text","text":"done"}]') throw new Error(JSON.stringify(content))
    if (far.count() !== 1) throw new Error(`the server did the work ${far.count()} times`)
  } finally {
    far.finish()
    await far.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A server whose work ends when the trial says so. */
async function openFar() {
  let finish = (): void => {}
  let begin = (): void => {}
  let count = 0
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const slow = tool({ description: 'Takes long', task: { mode: 'auto', after: 0 } }, async (_args, ctx) => {
    count++
    ctx.progress(1, 2, 'half way')
    begin()
    await finished
    return 'done'
  })
  const server = createServer({ name: 'far', version: '1', tasks: createTasks(), tools: { slow } })
  const http = await serveHttp(server, { port: 0, graceMs: 200 })
  return { url: http.url, begun, finish: () => finish(), count: () => count, close: () => http.close() }
}

async function openFront(folder: string, url: string) {
  // As this program itself runs from source.
  const args = [...process.execArgv, FRONT, join(folder, 'state.db'), url]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  if (child.stdout === null) throw new Error('the gateway did not start')
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([once(lines, 'line'), exited.then(() => [''])])) as [string]
  if (!line.startsWith('http')) throw new Error('the gateway ended before it listened')
  return {
    url: line,
    async end(signal: 'SIGTERM' | 'SIGKILL') {
      child.kill(signal)
      await exited
    },
  }
}
