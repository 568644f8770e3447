/**
 * Folders that stay between runs, in memory, by a name of the caller's. Nobody sees those of another. Each is bounded by what one
 * run may keep; all together are bounded, and whoever holds most loses an old one first.
 */

import { createHash } from 'node:crypto'
import { type Principal, ToolError } from '@portico/sdk/server'
import { ownerOf } from './history.ts'
import type { RunLimits } from './options.ts'
import type { RunFile } from './outcome.ts'

interface Session {
  readonly owner: string
  readonly files: readonly RunFile[]
  readonly bytes: number
  readonly usedAt: number
}

/** A session while a run has it. */
export interface OpenSession {
  readonly name: string
  readonly isNew: boolean
  readonly files: readonly RunFile[]
  keep(files: readonly RunFile[]): void
  end(): void
}

const MAX_BYTES = 134_217_728
const IDLE_MS = 3_600_000

export class Sessions {
  /** The one that was used last is the last. */
  readonly #sessions = new Map<string, Session>()
  readonly #inUse = new Set<string>()
  readonly #perCaller: number
  readonly #now: () => number

  constructor(perCaller: number, now: () => number = Date.now) {
    this.#perCaller = perCaller
    this.#now = now
  }

  /** Nobody else can use it until `end`. */
  open(principal: Principal | undefined, name: string): OpenSession {
    const owner = ownerOf(principal)
    const key = JSON.stringify([owner, name])
    if (this.#inUse.has(key)) throw new ToolError(`The session "${name}" is in use by another run. Wait for its end.`)
    this.#dropIdle()
    this.#inUse.add(key)
    const known = this.#sessions.get(key)
    return {
      name,
      isNew: known === undefined,
      files: known?.files ?? [],
      keep: (files) => this.#keep(key, owner, files),
      end: () => void this.#inUse.delete(key),
    }
  }

  #keep(key: string, owner: string, files: readonly RunFile[]): void {
    this.#sessions.delete(key)
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
    this.#sessions.set(key, { owner, files, bytes, usedAt: this.#now() })
    if (this.#of(owner).length > this.#perCaller) this.#dropOldest(owner)
    while (this.#sum([...this.#sessions.values()]) > MAX_BYTES) this.#dropOldest(this.#holdsMost())
  }

  #of(owner: string): Session[] {
    return [...this.#sessions.values()].filter((session) => session.owner === owner)
  }

  #sum(sessions: readonly Session[]): number {
    return sessions.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #holdsMost(): string {
    const owners = [...new Set([...this.#sessions.values()].map(({ owner }) => owner))]
    return owners.reduce((most, owner) => (this.#sum(this.#of(owner)) > this.#sum(this.#of(most)) ? owner : most))
  }

  #dropOldest(owner: string): void {
    for (const [key, session] of this.#sessions) {
      if (session.owner !== owner) continue
      this.#sessions.delete(key)
      return
    }
  }

  #dropIdle(): void {
    const limit = this.#now() - IDLE_MS
    for (const [key, { usedAt }] of this.#sessions) if (usedAt < limit) this.#sessions.delete(key)
  }
}

/** What a run finds in its folder: the session's files, with those of the call over them. */
export function withSession(session: OpenSession | undefined, given: readonly RunFile[], limits: RunLimits): RunFile[] {
  if (session === undefined) return [...given]
  const names = new Set(given.map(({ path }) => path))
  const files = [...session.files.filter(({ path }) => !names.has(path)), ...given]
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  if (files.length <= limits.maxFiles && bytes <= limits.fileBytes) return files
  throw new ToolError(
    `With these files the session "${session.name}" has more than ${limits.maxFiles} files or ${limits.fileBytes} bytes (options maxFiles, fileBytes).`,
  )
}

/** What a person is shown of it: every file of it can be part of what runs, and one that changed is another. */
export function describeSession({ name, files }: OpenSession): string {
  const lines = files.map(({ path, bytes }) => {
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    return `${JSON.stringify(path)} (${bytes.length} bytes, sha256 ${digest})`
  })
  return `Session ${JSON.stringify(name)}, ${files.length === 0 ? 'empty' : `files of earlier runs: ${lines.join(', ')}`}`
}
