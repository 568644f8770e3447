/**
 * `npm run first-hour`: every shell block of every page of the guide, typed as printed on a machine that has nothing of
 * ours, and a table of how long each step took. `npm run first-hour -- tutorial` reads the pages whose names hold that
 * word; `--short` leaves out what is marked as long, `--no-build` takes what is built. Exit code 1 if a block does not do
 * what its page says.
 */

import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import { helpIfAsked } from '../support/help.ts'
import { missingTmux } from '../support/tmux.ts'
import type { Block, Page } from './blocks.ts'
import { Browser } from './browser.ts'
import { type Machine, startMachine } from './machine.ts'
import { buildPackages } from './packages.ts'
import { readPages } from './pages.ts'
import { missingRegistry } from './registry.ts'
import { type Row, tellRows } from './rows.ts'

const words = process.argv.slice(2)
const wanted = words.filter((word) => !word.startsWith('--'))
const short = words.includes('--short')

helpIfAsked(import.meta.url)
process.exitCode = await main()

async function main(): Promise<number> {
  const missing = spawnSync('bash', ['--version']).status === 0 ? missingRegistry() : 'there is no bash'
  if (missing !== undefined) {
    console.log(`skipped every page: ${missing}`)
    return short ? 0 : 1
  }
  const pages = readPages()
    .filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
    .filter(({ blocks, long }) => blocks.length > 0 && !(short && long))
  if (pages.length === 0) throw new Error(`no page with a block to run is named ${wanted.join(' or ')}`)
  if (!words.includes('--no-build')) buildPackages()
  const started = performance.now()
  const machine = await startMachine()
  console.log(`packed and published in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  const rows: Row[] = []
  try {
    for (const page of pages) rows.push(...(await read(machine, page)))
    return tellRows(rows)
  } finally {
    await machine.close()
  }
}

/** Types a page from top to bottom; a block that fails ends it, as what follows builds on it. */
async function read(machine: Machine, page: Page): Promise<Row[]> {
  const why = await reasonToSkipPage(page)
  if (why !== undefined) {
    console.log(`skipped ${page.name}: ${why}`)
    return page.blocks.map(({ line, run }) => ({
      place: `${page.name}:${line}`,
      name: run.row,
      state: 'skipped',
      ms: 0,
    }))
  }
  const shell = machine.open(page)
  const rows: Row[] = []
  try {
    for (const block of page.blocks) {
      const row = await typeBlock(shell, block)
      rows.push(row)
      if (row.state === 'failed') break
    }
  } finally {
    await shell.close().catch((error) => {
      console.log(`FAILED  ${page.name}: Ctrl-C does not end what it starts\n${error}`)
      rows.push({ place: page.name, name: undefined, state: 'failed', ms: 0 })
    })
  }
  return rows
}

async function typeBlock(shell: ReturnType<Machine['open']>, block: Block): Promise<Row> {
  const { page, line, run } = block
  const place = `${page}:${line}`
  const name = run.row
  const why = reasonToSkip(block)
  if (why !== undefined) {
    console.log(`skipped ${place}: ${why}`)
    return { place, name, state: 'skipped', ms: 0 }
  }
  const started = performance.now()
  try {
    await shell.run(block)
    const ms = performance.now() - started
    console.log(`ok      ${place} (${(ms / 1000).toFixed(1)} s)`)
    return { place, name, state: 'ok', ms }
  } catch (error) {
    console.log(`FAILED  ${place}\n${block.code}\n${error instanceof Error ? error.message : error}`)
    return { place, name, state: 'failed', ms: performance.now() - started }
  }
}

function reasonToSkip({ run }: Block): string | undefined {
  if (run.deed !== undefined && Browser.missing() !== undefined) return Browser.missing()
  return run.notHere ?? (short && run.long ? 'it takes too long for the short form' : undefined)
}

async function reasonToSkipPage({ blocks, ports }: Page): Promise<string | undefined> {
  const needsTerminal = blocks.some(({ run }) => run.until !== undefined || run.answers.length > 0)
  const missing = needsTerminal ? missingTmux() : undefined
  if (missing !== undefined) return missing
  for (const port of ports) if (await isTaken(port)) return `port ${port}, which it names, is taken`
  return undefined
}

function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const tell = (taken: boolean) => () => {
      socket.destroy()
      resolve(taken)
    }
    socket.once('connect', tell(true)).once('error', tell(false))
  })
}
