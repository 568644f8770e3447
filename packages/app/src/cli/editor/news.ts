/** What happens in the host, told to the editor: at once where somebody waits, gathered where a flood could come. */

import type { Host } from '@portico/host'
import { formatProblem } from '@portico/host/config'
import { toPlain } from '../terminal/plain-text.ts'
import type { HostEvents } from './protocol.ts'
import { toServerRow } from './rows.ts'
import { toShownQuestion } from './shown-question.ts'

export type Tell = <Name extends keyof HostEvents>(event: Name, params: HostEvents[Name], coalesce?: string) => void

const GATHER_MS = 100

/** What comes back ends it. */
export function forwardNews(host: Host, tell: Tell): () => void {
  const servers = new ServerNews(host, tell)
  const stops = [
    host.inbox.on((event) => {
      const { question } = event
      // Those of other processes are listed, but nobody is interrupted for them.
      if (question.elsewhere === true) return
      if (event.type !== 'asked') tell('question/gone', { id: question.id })
      else if (host.inbox.pending().some(({ id }) => id === question.id))
        tell('question/asked', { question: toShownQuestion(question) })
    }),
    host.on('task', (task) => tell('task/changed', { task })),
    host.on('problems', (problems) =>
      tell('problems/changed', { problems: problems.map((one) => toPlain(formatProblem(one))) }),
    ),
    host.upstreams.on('state', ({ server }) => servers.note(server)),
    host.upstreams.on('servers', ({ names }) => servers.set(names)),
    host.catalogue.on('change', () => servers.noteItems()),
  ]
  return () => {
    servers.close()
    for (const stop of stops) stop()
  }
}

class ServerNews {
  readonly #host: Host
  readonly #tell: Tell
  readonly #known = new Set<string>()
  #changed = new Set<string>()
  #items = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(host: Host, tell: Tell) {
    this.#host = host
    this.#tell = tell
    for (const { name } of host.upstreams.views()) this.#known.add(name)
  }

  note(server: string): void {
    this.#known.add(server)
    this.#changed.add(server)
    this.#timer ??= setTimeout(() => this.#send(), GATHER_MS)
  }

  noteItems(): void {
    this.#items = true
    for (const { name } of this.#host.upstreams.views()) this.note(name)
  }

  set(names: readonly string[]): void {
    for (const server of this.#known) {
      if (names.includes(server)) continue
      this.#known.delete(server)
      this.#tell('server/removed', { server })
    }
    for (const name of names) this.note(name)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #send(): void {
    const changed = this.#changed
    this.#timer = undefined
    this.#changed = new Set()
    for (const name of changed) {
      const view = this.#host.upstreams.view(name)
      if (view !== undefined) this.#tell('server/changed', { server: toServerRow(view, this.#host) }, `server:${name}`)
    }
    if (this.#items) this.#tell('items/changed', {}, 'items')
    this.#items = false
  }
}
