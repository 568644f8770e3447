/** What is measured, and what must hold. Each stage starts a server of its own and leaves nothing behind. */

import { connect } from 'node:net'
import { fairness } from './fairness.ts'
import { type Figure, percentile } from './figure.ts'
import { saturation } from './saturation.ts'
import { startSubject } from './subject.ts'
import { Wire } from './wire.ts'

export interface Size {
  readonly clients: number
  readonly calls: number
  readonly listeners: number
  readonly floodBytes: number
  readonly overloadMs: number
  /** For each thing that callers share, with and without the one who takes all of it. */
  readonly fairnessMs: number
}

export interface Stage {
  readonly name: string
  readonly title: string
  run(size: Size): Promise<Figure[]>
}

const MEBIBYTE = 1024 * 1024

export const STAGES: readonly Stage[] = [
  { name: 'crowd', title: 'Clients and idle listeners', run: crowd },
  { name: 'stalled', title: 'A reader that does not read', run: stalled },
  { name: 'overload', title: 'More than the server takes', run: overload },
  { name: 'saturation', title: 'One, two, five and ten times as much as goes through', run: saturation },
  { name: 'fairness', title: 'One caller at full speed beside nine others', run: fairness },
]

async function crowd({ clients, calls, listeners }: Size): Promise<Figure[]> {
  const subject = await startSubject()
  try {
    const before = await subject.memory('reset')
    const open = await inWaves(listeners, 200, async () => {
      const wire = new Wire(subject.httpPort)
      wire.send('subscriptions/listen', { notifications: { toolsListChanged: true } })
      await wire.hear('acknowledged')
      return wire
    })
    const idle = await subject.memory('reset')
    const callers = await inWaves(clients, 200, () => Wire.open(subject.httpPort))
    const times: number[] = []
    let failed = 0
    const started = performance.now()
    await Promise.all(
      callers.map(async (wire) => {
        for (let call = 0; call < calls; call++) {
          const answer = await wire.request('tools/call', { name: 'echo', arguments: { text: 'hello' } })
          times.push(answer.ms)
          if (answer.status !== 200 || answer.failed) failed++
        }
      }),
    )
    const seconds = (performance.now() - started) / 1000
    const told = performance.now()
    await Promise.all([subject.change(0), ...open.map((wire) => wire.hear('tools/list_changed'))])
    const toldMs = performance.now() - told
    const { peak } = await subject.memory()
    for (const wire of [...open, ...callers]) wire.close()
    return [
      { name: `memory with ${listeners} idle listeners`, value: idle.rss / MEBIBYTE, unit: 'MiB' },
      { name: 'of it, for each listener', value: Math.max(0, idle.rss - before.rss) / 1024 / listeners, unit: 'KiB' },
      { name: `most memory with ${clients} clients besides`, value: peak / MEBIBYTE, unit: 'MiB', most: 1024 },
      { name: 'calls that failed', value: failed, unit: `of ${times.length}`, most: 0 },
      { name: 'calls each second', value: times.length / seconds, unit: '' },
      { name: 'time of a call, median', value: percentile(times, 0.5), unit: 'ms' },
      { name: 'time of a call, 99th percentile', value: percentile(times, 0.99), unit: 'ms' },
      { name: 'until all listeners have heard of a change', value: toldMs, unit: 'ms' },
    ]
  } finally {
    await subject.stop()
  }
}

/** Logs may be dropped, so the reader costs little; change notices may not, so it is given up at `maxKeptBytes`. */
async function stalled({ floodBytes }: Size): Promise<Figure[]> {
  const subject = await startSubject({ limits: { notificationsPerSecond: 1e9 } })
  const megabytes = floodBytes / 1e6
  try {
    await floodHttp(subject.httpPort, 10 * MEBIBYTE)
    const before = await subject.memory('reset')
    const answered = await floodHttp(subject.httpPort, floodBytes)
    const http = await subject.memory('reset')
    const answeredSocket = await floodSocket(subject.socketPort, floodBytes)
    const socket = await subject.memory('reset')
    const listener = new Wire(subject.httpPort)
    listener.send('subscriptions/listen', {
      notifications: { resourceSubscriptions: [`mem://long/${'x'.repeat(10_000 - 11)}`] },
    })
    await listener.hear('acknowledged')
    listener.socket.pause()
    await subject.change(floodBytes)
    const notices = await subject.memory()
    listener.socket.resume()
    const keptUp = await Promise.race([
      listener.until(() => false).catch(() => false),
      new Promise<true>((resolve) => setTimeout(() => resolve(true), 5000)),
    ])
    listener.close()
    const growth = (peak: number): number => Math.max(0, peak - before.rss) / MEBIBYTE
    return [
      { name: `memory for ${megabytes} MB of logs, HTTP`, value: growth(http.peak), unit: 'MiB', most: 96 },
      { name: `memory for ${megabytes} MB of logs, socket`, value: growth(socket.peak), unit: 'MiB', most: 96 },
      { name: 'answers lost behind them', value: 2 - Number(answered) - Number(answeredSocket), unit: 'of 2', most: 0 },
      { name: `memory for ${megabytes} MB of change notices`, value: growth(notices.peak), unit: 'MiB', most: 256 },
      {
        name: 'readers of these kept beyond maxKeptBytes',
        value: Number(keptUp),
        unit: 'of 1',
        most: megabytes > 100 ? 0 : 1,
      },
    ]
  } finally {
    await subject.stop()
  }
}

/** True when the answer came once the reader read again. */
async function floodHttp(port: number, bytes: number): Promise<boolean> {
  const wire = new Wire(port)
  wire.send('tools/call', { name: 'flood', arguments: { bytes } })
  await wire.hear('200 OK')
  wire.socket.pause()
  await settled(port)
  wire.socket.resume()
  const found = await wire.hear('flood result').then(
    () => true,
    () => false,
  )
  wire.close()
  return found
}

async function floodSocket(port: number, bytes: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'info',
  }
  const params = { name: 'flood', arguments: { bytes }, _meta }
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`)
  socket.setEncoding('latin1')
  await new Promise((resolve) => socket.once('data', resolve))
  socket.pause()
  await new Promise((resolve) => setTimeout(resolve, STALL_MS))
  let tail = ''
  const found = new Promise<boolean>((resolve) => {
    socket.on('data', (text: string) => {
      tail = tail.slice(-20) + text
      if (tail.includes('flood result')) resolve(true)
    })
    socket.on('close', () => resolve(false))
  })
  socket.resume()
  const outcome = await found
  socket.destroy()
  return outcome
}

/** How long a reader does not read: far longer than the flood takes to be made. */
const STALL_MS = 3000

async function settled(port: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, STALL_MS))
  const wire = new Wire(port)
  await wire.request('tools/list', {})
  wire.close()
}

async function overload({ overloadMs }: Size): Promise<Figure[]> {
  const subject = await startSubject({ limits: { maxInFlight: 64, maxInFlightPerPrincipal: 16 } })
  try {
    // A fresh process is slow for reasons of its own.
    await hammer(subject.httpPort, 50, overloadMs / 2, () => undefined)
    const crowded = await hammer(subject.httpPort, 300, overloadMs, () => undefined)
    const stopped = performance.now()
    const wire = new Wire(subject.httpPort)
    while ((await wire.request('tools/call', { name: 'work', arguments: {} })).status !== 200) await pause(5)
    const recoveryMs = performance.now() - stopped
    wire.close()
    // One principal takes all it can; another asks now and then.
    const [greedy, modest] = await Promise.all([
      hammer(subject.httpPort, 40, overloadMs, () => 'greedy'),
      hammer(subject.httpPort, 4, overloadMs, () => 'modest'),
    ])
    return [
      { name: 'requests beyond maxInFlight, answered 503', value: crowded.refused.length, unit: '' },
      { name: 'time to refuse, median', value: percentile(crowded.refused, 0.5), unit: 'ms', most: 50 },
      { name: 'time to refuse, 99th percentile', value: percentile(crowded.refused, 0.99), unit: 'ms' },
      {
        name: 'answers other than 200, 429 and 503 with Retry-After',
        value: crowded.odd + greedy.odd + modest.odd,
        unit: '',
        most: 0,
      },
      { name: 'until the next request is served', value: recoveryMs, unit: 'ms', most: 5000 },
      { name: 'of one principal beyond its share, answered 429', value: greedy.refused.length, unit: '' },
      { name: 'of another principal meanwhile, served', value: modest.served, unit: '', least: 1 },
      {
        name: 'of another principal meanwhile, refused',
        value: modest.refused.length,
        unit: `of ${modest.served + modest.refused.length}`,
        most: 0,
      },
    ]
  } finally {
    await subject.stop()
  }
}

interface Hammered {
  served: number
  odd: number
  /** How long each refusal took. */
  readonly refused: number[]
}

/** So many clients that ask again as soon as they are answered, and a little later when refused. */
async function hammer(port: number, clients: number, ms: number, who: () => string | undefined): Promise<Hammered> {
  const found: Hammered = { served: 0, odd: 0, refused: [] }
  const wires = await inWaves(clients, 100, () => Wire.open(port, who()))
  const until = performance.now() + ms
  await Promise.all(
    wires.map(async (wire) => {
      while (performance.now() < until) {
        const answer = await wire.request('tools/call', { name: 'work', arguments: {} })
        if (answer.status === 200 && !answer.failed) found.served++
        else if ((answer.status === 503 || answer.status === 429) && answer.retryAfter !== undefined) {
          found.refused.push(answer.ms)
          await pause(100)
        } else found.odd++
      }
      wire.close()
    }),
  )
  return found
}

async function inWaves<T>(count: number, wave: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  while (made.length < count) {
    made.push(...(await Promise.all(Array.from({ length: Math.min(wave, count - made.length) }, make))))
  }
  return made
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
