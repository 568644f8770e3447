/** A page, typed from top to bottom as its reader would; what is measured becomes rows of the table. */

import { spawnSync } from 'node:child_process'
import { connect } from 'node:net'
import type { Report } from '../support/report.ts'
import { missingTmux } from '../support/tmux.ts'
import type { Block, Page } from './blocks.ts'
import { Browser } from './browser.ts'
import type { Machine } from './machine.ts'
import type { Row } from './rows.ts'

/** A block waits for programs to start and packages to come; a shell has limits of its own. */
const BLOCK_LIMIT_MS = 30 * 60_000

export interface Reading {
  readonly report: Report
  readonly short: boolean
}

/** Why a page cannot be typed here, if it cannot. */
export async function missingPart({ blocks, ports }: Page): Promise<string | undefined> {
  if (spawnSync('bash', ['--version']).status !== 0) return 'there is no bash'
  const needsTerminal = blocks.some(({ run }) => run.until !== undefined || run.answers.length > 0)
  const missing = needsTerminal ? missingTmux() : undefined
  if (missing !== undefined) return missing
  for (const port of ports) if (await isTaken(port)) return `port ${port}, which it names, is taken`
  return undefined
}

/** A block that fails ends the page, as what follows builds on it. */
export async function typePage(machine: Machine, page: Page, { report, short }: Reading): Promise<Row[]> {
  const shell = machine.open(page)
  const rows: Row[] = []
  try {
    for (const block of page.blocks) {
      const why = reasonToSkip(block, short)
      const began = performance.now()
      const place = `${block.page}:${block.line}`
      if (why !== undefined) report.skip(place, why)
      const passed =
        why !== undefined || (await report.check(place, () => typeBlock(shell, block), { limitMs: BLOCK_LIMIT_MS }))
      const state = why !== undefined ? 'skipped' : passed ? 'ok' : 'failed'
      rows.push({ place, name: block.run.row, state, ms: performance.now() - began })
      if (!passed) break
    }
  } finally {
    await report.check('Ctrl-C ends what it starts', () => shell.close(), { limitMs: BLOCK_LIMIT_MS })
  }
  return rows
}

async function typeBlock(shell: ReturnType<Machine['open']>, block: Block): Promise<void> {
  try {
    await shell.run(block)
  } catch (error) {
    throw new Error(`${block.code}\n${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

function reasonToSkip({ run }: Block, short: boolean): string | undefined {
  if (run.deed !== undefined && Browser.missing() !== undefined) return Browser.missing()
  return run.notHere ?? (short && run.long ? 'it takes too long for the short form' : undefined)
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
