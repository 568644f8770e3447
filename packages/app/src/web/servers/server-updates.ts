/** Tells open pages what is new about the servers: at once, but not more often than anybody can look. */

import type { Host } from '@portico/host'
import type { ApiEvent } from '../api-types/api.ts'
import type { ServerCards } from './server-cards.ts'

interface ServerUpdatesOptions {
  readonly host: Host
  readonly cards: ServerCards
  emit(event: ApiEvent): void
  /** Whether anybody looks. */
  isWatched(): boolean
}

const GATHER_MS = 120
/** Latency, memory and counts change without being announced. */
const LOOK_MS = 3_000

export class ServerUpdates {
  readonly #options: ServerUpdatesOptions
  readonly #stops: (() => void)[]
  readonly #timer: ReturnType<typeof setInterval>
  readonly #sent = new Map<string, string>()
  #dirty = new Set<string>()
  #itemsChanged = false
  #gathering: ReturnType<typeof setTimeout> | undefined

  constructor(options: ServerUpdatesOptions) {
    this.#options = options
    const { host } = options
    this.#stops = [
      host.upstreams.on('state', ({ server }) => this.#note(server)),
      host.upstreams.on('servers', ({ names }) => this.#noteServers(names)),
      host.catalogue.on('change', () => this.#noteItems()),
      host.on('problems', (problems) => options.emit({ type: 'problems', problems })),
    ]
    this.#timer = setInterval(() => void this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  close(): void {
    for (const stop of this.#stops) stop()
    clearInterval(this.#timer)
    clearTimeout(this.#gathering)
  }

  #note(server: string): void {
    this.#dirty.add(server)
    this.#gathering ??= setTimeout(() => this.#tell(), GATHER_MS)
  }

  #noteServers(names: readonly string[]): void {
    const known = new Set(names)
    for (const server of this.#sent.keys()) {
      if (known.has(server)) continue
      this.#sent.delete(server)
      this.#options.emit({ type: 'server-removed', server })
    }
    for (const name of names) this.#note(name)
  }

  #noteItems(): void {
    this.#itemsChanged = true
    for (const { name } of this.#options.host.upstreams.views()) this.#note(name)
  }

  #tell(): void {
    const { cards, emit } = this.#options
    const dirty = this.#dirty
    this.#gathering = undefined
    this.#dirty = new Set()
    for (const name of dirty) {
      const card = cards.one(name)
      if (card === undefined) continue
      const text = JSON.stringify(card)
      if (this.#sent.get(name) === text) continue
      this.#sent.set(name, text)
      emit({ type: 'server', server: card })
    }
    if (this.#itemsChanged) emit({ type: 'items-changed' })
    this.#itemsChanged = false
  }

  async #look(): Promise<void> {
    if (!this.#options.isWatched()) return
    for (const { name } of await this.#options.cards.all()) this.#note(name)
  }
}
