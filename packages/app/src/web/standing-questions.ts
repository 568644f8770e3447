/**
 * Questions that nobody in particular asks: files of a project that nobody has vouched for. They are put into the inbox
 * beside all others and acted on when answered; what was settled elsewhere is withdrawn.
 */

import type { Host } from '@portico/host'
import type { QuestionBody } from '@portico/host/consent'

const SESSION = 'workbench'

interface Standing {
  readonly leave: AbortController
  readonly server: string
}

export class StandingQuestions {
  readonly #host: Host
  readonly #asked = new Map<string, Standing>()
  readonly #stops: (() => void)[]

  constructor(host: Host) {
    this.#host = host
    this.#stops = [host.on('problems', () => this.#askTrust())]
    this.#askTrust()
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  #askTrust(): void {
    const wanted = new Map(this.#host.config.untrusted.map((file) => [`trust ${file.file} ${file.digest}`, file]))
    this.#withdraw('trust ', wanted)
    for (const [key, { file, content, servers }] of wanted) {
      this.#ask(key, 'portico', { kind: 'trust', file, servers }, async () => {
        // What was shown is what is trusted, whatever the file holds by now.
        await this.#host.trust?.trust(file, content)
        await this.#host.reload()
      })
    }
  }

  #ask(key: string, server: string, body: QuestionBody, onYes: () => void | Promise<void>): void {
    if (this.#asked.has(key)) return
    const leave = new AbortController()
    this.#asked.set(key, { leave, server })
    this.#host.inbox
      .ask({ server, session: SESSION, body }, { signal: leave.signal })
      .then(async ({ action }) => {
        if (action === 'allow') await onYes()
      })
      // Withdrawn, refused because there are too many, or the host is closed: the server's card still shows it.
      .catch(() => {})
      .finally(() => {
        // After a no it is not asked again in this life of the program.
        if (leave.signal.aborted) this.#asked.delete(key)
      })
  }

  #withdraw(prefix: string, wanted: ReadonlyMap<string, unknown>): void {
    for (const [key, { leave }] of this.#asked) {
      if (!key.startsWith(prefix) || wanted.has(key)) continue
      this.#asked.delete(key)
      leave.abort(new DOMException('It was settled elsewhere', 'AbortError'))
    }
  }
}
