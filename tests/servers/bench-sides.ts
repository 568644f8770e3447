/** Two servers over standard input and output, ours and one that others published, and how they are measured in turns. */

import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type CallToolResult, type Client, connect } from '@portico/sdk/client'
import { installedPackage } from '../support/install.ts'

export interface Side {
  readonly client: Client
  readonly tool: string
  readonly args: { readonly [name: string]: unknown }
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const REQUEST = { timeoutMs: 60_000 }
const PAUSE_MS = 5

export function connectOurs(name: string, options: object): Promise<Client> {
  const runner = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))
  const program = fileURLToPath(new URL('serve.ts', import.meta.url))
  // The revision of the others, so that both answers have the same frame.
  return connect(
    { command: process.execPath, args: [runner, program, name, JSON.stringify(options)] },
    { versions: '2025-11-25' },
  )
}

export function connectTheirs(name: string, argument: string, env: { [name: string]: string } = {}): Promise<Client> {
  const program = installedPackage(FOLDER, name, 'dist', 'index.js')
  return connect({ command: process.execPath, args: [program, ...(argument === '' ? [] : [argument])], env })
}

export async function call({ client, tool, args }: Side): Promise<CallToolResult> {
  const result = await client.callTool(tool, { ...args }, REQUEST)
  assert.ok(result.isError !== true, JSON.stringify(result.content).slice(0, 500))
  return result
}

export async function time(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await action()
  return performance.now() - start
}

export function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export interface Compared {
  readonly bytes: readonly [ours: number, theirs: number]
  readonly ms: readonly [ours: number, theirs: number]
}

/** Both in turns, neither always the first; the first of each is for warming up, and is where bytes are counted. */
export async function compare(
  ours: (round: number) => Side,
  theirs: (round: number) => Side,
  rounds: number,
): Promise<Compared> {
  const sides = [ours, theirs] as const
  const weigh = async (side: Side): Promise<number> => Buffer.byteLength(JSON.stringify(await call(side)))
  const bytes = [await weigh(ours(0)), await weigh(theirs(0))] as const
  const times: [number[], number[]] = [[], []]
  for (let round = 1; round <= rounds; round++) {
    for (const turn of [0, 1]) {
      const at = (round + turn) % 2 === 0 ? 0 : 1
      // What a side still does after its answer is not to be paid for by the other.
      await setTimeout(PAUSE_MS)
      const side = sides[at](round)
      times[at].push(await time(() => call(side)))
    }
  }
  return { bytes, ms: [median(times[0]), median(times[1])] }
}

export function line(...[name = '', ours = '', theirs = '', ratio = '']: string[]): string {
  return `${name.padEnd(46)}${ours.padStart(12)}${theirs.padStart(14)}  ${ratio}`
}
