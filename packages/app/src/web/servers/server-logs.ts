/** The last lines that each server wrote or sent, for its log and for the pages that are open. */

import type { UpstreamLog, Upstreams } from '@portico/host/upstream'

const MAX_LINES = 500
const MAX_SERVERS = 500

export class ServerLogs {
  readonly #lines = new Map<string, string[]>()
  readonly #stop: () => void

  /** `tell` hears every line, safe to show. */
  constructor(upstreams: Upstreams, tell: (log: UpstreamLog) => void) {
    this.#stop = upstreams.on('log', (log) => {
      this.#keep(log)
      tell(log)
    })
  }

  /** What a program wrote before it was connected is in its `tail` alone, without a time. */
  of(server: string, tail = ''): readonly string[] {
    const lines = this.#lines.get(server) ?? []
    const early = tail.split('\n').filter((line) => line !== '' && !lines.some((known) => known.endsWith(line)))
    return [...early, ...lines].slice(-MAX_LINES)
  }

  close(): void {
    this.#stop()
  }

  #keep({ server, at, source, level, text }: UpstreamLog): void {
    const lines = this.#lines.get(server) ?? []
    this.#lines.set(server, lines)
    const time = new Date(at).toISOString().slice(11, 23)
    lines.push(`${time} ${level ?? source} ${text}`)
    if (lines.length > MAX_LINES) lines.splice(0, lines.length - MAX_LINES)
    const [oldest] = this.#lines.keys()
    if (this.#lines.size > MAX_SERVERS && oldest !== undefined) this.#lines.delete(oldest)
  }
}
