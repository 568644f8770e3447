/**
 * Time as the machine gives it: where it is busy with other things, the clock stands still for as long. What has to happen at once is
 * measured by it, so that a busy machine is no fault. A thread of its own ticks, so that whoever keeps this one from its work is seen.
 */

import { Worker } from 'node:worker_threads'

const TICK_MS = 20
const ticks = new Int32Array(new SharedArrayBuffer(4))

const TICKING = `
const { workerData } = require('node:worker_threads')
setInterval(() => Atomics.add(workerData, 0, 1), ${TICK_MS})
`

new Worker(TICKING, { eval: true, workerData: ticks, execArgv: [] }).unref()

/** In milliseconds since the start, in steps of one tick. */
export function now(): number {
  return Atomics.load(ticks, 0) * TICK_MS
}
