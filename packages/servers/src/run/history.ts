/**
 * The last runs with their files, for whoever ran them: what is too long for a result is read as a resource. All together are bounded,
 * and whoever has most loses an old one first.
 */

import { randomUUID } from 'node:crypto'
import type { Principal } from '@portico/sdk/server'
import { spellHidden, toPlainText } from '../text/plain-text.ts'
import type { Outcome, RunFile } from './outcome.ts'

interface PastRun {
  readonly id: string
  readonly tool: string
  readonly at: string
  readonly outcome: Outcome
}

const MAX_RUNS = 50
const MAX_BYTES = 67_108_864

export class History {
  readonly #runs: (PastRun & { readonly owner: string; readonly size: number })[] = []
  #bytes = 0

  add(principal: Principal | undefined, tool: string, outcome: Outcome): PastRun {
    const size =
      outcome.stdout.length + outcome.stderr.length + outcome.files.reduce((sum, { bytes }) => sum + bytes.length, 0)
    const run = { id: randomUUID(), tool, at: new Date().toISOString(), outcome, owner: ownerOf(principal), size }
    this.#runs.push(run)
    this.#bytes += size
    while (this.#runs.length > MAX_RUNS) this.#dropOldest(() => 1)
    while (this.#bytes > MAX_BYTES && this.#runs.length > 1) this.#dropOldest(({ size }) => size)
    return run
  }

  #dropOldest(weight: (run: { readonly size: number }) => number): void {
    const sums = new Map<string, number>()
    for (const run of this.#runs) sums.set(run.owner, (sums.get(run.owner) ?? 0) + weight(run))
    const most = Math.max(...sums.values())
    const at = this.#runs.findIndex(({ owner }) => sums.get(owner) === most)
    this.#bytes -= this.#runs.splice(at, 1)[0]?.size ?? 0
  }

  list(principal: Principal | undefined): readonly PastRun[] {
    const owner = ownerOf(principal)
    return this.#runs.filter((run) => run.owner === owner).reverse()
  }

  find(principal: Principal | undefined, id: string): PastRun | undefined {
    return this.list(principal).find((run) => run.id === id)
  }

  file(principal: Principal | undefined, id: string, path: string): RunFile | undefined {
    return this.find(principal, id)?.outcome.files.find((file) => file.path === path)
  }
}

export function runUri(id: string): string {
  return `run://runs/${id}`
}

function fileUri(id: string, path: string): string {
  return `${runUri(id)}/files/${encodeURIComponent(path)}`
}

/** What a run printed and came to, as tools and resources show it: nothing hidden in it. */
export function toPlainOutput({ stdout, stderr, value }: Outcome) {
  return {
    stdout: toPlainText(stdout),
    stderr: toPlainText(stderr),
    ...(value !== undefined && { value: toPlainText(value) }),
  }
}

export function describeFile(id: string, { path, bytes }: RunFile) {
  return { path: spellHidden(path), bytes: bytes.length, uri: fileUri(id, path) }
}

/** Text where it is text; undefined where it is not. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

export function ownerOf(principal: Principal | undefined): string {
  return principal === undefined ? 'local' : `user ${principal.id}`
}
