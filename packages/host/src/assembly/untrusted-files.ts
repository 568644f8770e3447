/**
 * Files that came with a project and that nobody has vouched for are put to the person and written down, whatever program
 * the host is part of. Nothing of such a file is used before somebody says yes; what was shown is what is trusted.
 */

import type { AuditSink } from '../audit/record.ts'
import { callListener } from '../config/call-listener.ts'
import type { UntrustedFile } from '../config/load-config.ts'
import type { TrustStore } from '../config/trust/trust-store.ts'
import type { Inbox } from '../consent/inbox.ts'

interface UntrustedFilesParts {
  readonly inbox: Inbox
  readonly audit: AuditSink
  readonly trust: TrustStore | undefined
  /** Somebody is there to be asked. */
  readonly attended: boolean
  readonly session: string
  /** Reads the files again. */
  reload(): Promise<void>
  readonly onWarning: (message: string) => void
}

export class UntrustedFiles {
  readonly #parts: UntrustedFilesParts
  /** By path and digest; each is noted and asked about once in this life of the program. */
  readonly #known = new Map<string, AbortController>()

  constructor(parts: UntrustedFilesParts) {
    this.#parts = parts
  }

  /** The files as they are now; what was settled elsewhere is no longer asked. */
  look(files: readonly UntrustedFile[]): void {
    const wanted = new Map(files.map((one) => [`${one.file} ${one.digest}`, one]))
    for (const [key, leave] of this.#known) {
      if (wanted.has(key)) continue
      this.#known.delete(key)
      leave.abort(new DOMException('It was settled elsewhere', 'AbortError'))
    }
    for (const [key, file] of wanted) {
      if (this.#known.has(key)) continue
      const leave = new AbortController()
      this.#known.set(key, leave)
      this.#note('file-untrusted', file)
      if (this.#parts.attended && this.#parts.trust !== undefined) this.#ask(file, leave.signal)
    }
  }

  close(): void {
    for (const leave of this.#known.values()) leave.abort()
  }

  #ask(found: UntrustedFile, signal: AbortSignal): void {
    const { inbox, session, trust, reload } = this.#parts
    const { file, content, servers } = found
    inbox
      .ask({ server: HOST, session, body: { kind: 'trust', file, servers } }, { signal })
      .then(async ({ action, by }) => {
        if (by === 'withdrawn' || by === 'expired') return
        this.#note(action === 'allow' ? 'file-trusted' : 'file-refused', found)
        if (action !== 'allow') return
        await trust?.trust(file, content)
        await reload()
      })
      .catch((error) => {
        // Withdrawn, one too many, or the host is closed: the file stays out of use.
        if (!signal.aborted) this.#warn(`${file} could not be trusted: ${String(error)}`)
      })
  }

  #note(what: string, { file, digest, servers }: UntrustedFile): void {
    const entry = {
      at: Date.now(),
      type: 'event',
      what,
      server: HOST,
      item: file,
      detail: { digest, servers },
    } as const
    this.#parts.audit.append(entry).catch((error) => this.#warn(`${what} could not be written down: ${String(error)}`))
  }

  #warn(message: string): void {
    callListener(this.#parts.onWarning, message)
  }
}

/** What the host itself is called where a server's name stands. */
const HOST = 'portico'
