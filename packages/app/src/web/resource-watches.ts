/** Resources that a page follows live. Shared by all pages; what nobody follows any more is given up when the program ends. */

import type { Host } from '@portico/host'
import { createByHand } from './answer-by-hand.ts'
import type { ApiEvent } from './api-types/api.ts'
import { Refused } from './http/failure.ts'

const MAX_WATCHES = 200

export class ResourceWatches {
  readonly #host: Host
  readonly #emit: (event: ApiEvent) => void
  readonly #watches = new Map<string, Promise<() => Promise<void>>>()

  constructor(host: Host, emit: (event: ApiEvent) => void) {
    this.#host = host
    this.#emit = emit
  }

  /** `uri` is the resource's name in the catalogue. */
  async set(server: string, uri: string, on: boolean): Promise<void> {
    const key = JSON.stringify([server, uri])
    const known = this.#watches.get(key)
    if (!on) {
      this.#watches.delete(key)
      await (await known?.catch(() => undefined))?.()
      return
    }
    if (known !== undefined) {
      await known
      return
    }
    if (this.#watches.size >= MAX_WATCHES) {
      throw new Refused(429, { code: 'too-many', message: `${MAX_WATCHES} resources are followed already` })
    }
    const own = this.#host.catalogue.items(['resource']).find((item) => item.server === server && item.name === uri)
    const changed = (): void => this.#emit({ type: 'resource-changed', server, uri })
    const onWaiting = createByHand(this.#host.inbox)
    const watch = this.#host.subscribe(server, own?.ownName ?? uri, changed, { onWaiting })
    this.#watches.set(key, watch)
    watch.catch(() => this.#watches.delete(key))
    await watch
  }

  async close(): Promise<void> {
    const open = [...this.#watches.values()]
    this.#watches.clear()
    await Promise.all(open.map(async (watch) => (await watch.catch(() => undefined))?.().catch(() => {})))
  }
}
