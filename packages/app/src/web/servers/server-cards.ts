/** Servers as the page shows them: the host's view with what it offers, how it would be started, and what it takes. */

import type { Host } from '@portico/host'
import { inspectCommand, type ServerConfig, showCommand, withoutSecrets } from '@portico/host/config'
import type { UpstreamView } from '@portico/host/upstream'
import type { ServerCard } from '../api-types/api.ts'
import { BUILT_IN_FILE } from '../built-in.ts'
import type { ProcessTable } from './process-table.ts'

const MAX_STDERR = 8_192

export class ServerCards {
  readonly #host: Host
  readonly #processes: ProcessTable

  constructor(host: Host, processes: ProcessTable) {
    this.#host = host
    this.#processes = processes
  }

  async all(): Promise<ServerCard[]> {
    await this.#processes.refresh()
    const counts = this.#counts()
    return this.#host.upstreams.views().map((view) => this.#toCard(view, counts.get(view.name)))
  }

  /** With the numbers of processes as they were last known. */
  one(server: string): ServerCard | undefined {
    const view = this.#host.upstreams.view(server)
    return view === undefined ? undefined : this.#toCard(view, this.#counts().get(server))
  }

  #toCard(view: UpstreamView, items: ServerCard['items'] = NOTHING): ServerCard {
    const { config, pid, stderrTail } = view
    const use = pid === undefined ? undefined : this.#processes.use(pid)
    return {
      ...view,
      config: toShown(config),
      ...(stderrTail !== undefined && { stderrTail: stderrTail.slice(-MAX_STDERR) }),
      shown: showCommand(config.target),
      ...use,
      items,
      warnings: inspectCommand(config.target).map(({ message }) => message),
      builtIn: config.place.file === BUILT_IN_FILE,
    }
  }

  #counts(): Map<string, ServerCard['items']> {
    const counts = new Map<string, { -readonly [kind in keyof ServerCard['items']]: number }>()
    for (const { server, kind, quarantine } of this.#host.catalogue.items()) {
      const count = counts.get(server) ?? { ...NOTHING }
      counts.set(server, count)
      count[kind === 'tool' ? 'tools' : kind === 'prompt' ? 'prompts' : 'resources']++
      if (quarantine !== undefined) count.quarantined++
    }
    return counts
  }
}

const NOTHING = { tools: 0, resources: 0, prompts: 0, quarantined: 0 }

/** Without what may be secret: the page needs none of it. */
function toShown({ target, settings, ...config }: ServerConfig): ServerConfig {
  const { auth: _auth, tls: _tls, ...shown } = settings
  return { ...config, target: withoutSecrets(target), settings: shown }
}
