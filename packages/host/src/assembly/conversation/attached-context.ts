/**
 * What goes along with every message of a session: its pins, kept as long as the session, and the resources that rules
 * attach. Where a server tells of changes a resource is followed and read anew only after one; elsewhere it is read for
 * every message.
 */

import { callListener } from '../../config/call-listener.ts'
import { admit } from '../../guard/foreign-text.ts'
import type { ActOptions, AttachRule } from '../options.ts'
import { type AttachedPiece, type AttachmentParts, followAttachment, MAX_ATTACHED_BYTES } from './attachments.ts'

interface ReadOptions extends ActOptions {
  readonly onWarning: (message: string) => void
}

interface Followed {
  readonly server: string
  readonly piece: AttachedPiece
  readonly close: () => Promise<void>
  /** It may have changed since it was read. */
  stale: boolean
}

export class AttachedContext {
  readonly #pinned = new Map<string, readonly AttachRule[]>()
  readonly #followed = new Map<string, Map<string, Followed>>()

  pins(session: string): readonly AttachRule[] {
    return this.#pinned.get(session) ?? []
  }

  setPins(session: string, pins: readonly AttachRule[]): void {
    this.#pinned.set(session, pins)
  }

  /** For the next message; what cannot be read or has grown too large is left out and said. */
  async read(
    session: string,
    rules: readonly AttachRule[],
    parts: AttachmentParts,
    { onWarning, ...options }: ReadOptions,
  ): Promise<AttachedPiece[]> {
    this.#leave(session, new Set(rules.map(keyOf)))
    const pieces = rules.map(async (rule) => {
      const { uri, maxBytes = MAX_ATTACHED_BYTES } = rule
      try {
        const piece = await this.#piece(session, rule, parts, options)
        if (piece.bytes <= maxBytes) return [piece]
        callListener(
          onWarning,
          `${uri} is not attached: it has grown to ${piece.bytes} bytes, and ${maxBytes} are allowed (\`maxBytes\`)`,
        )
      } catch (error) {
        callListener(onWarning, `${uri} could not be attached: ${error instanceof Error ? error.message : error}`)
      }
      return []
    })
    return (await Promise.all(pieces)).flat()
  }

  /** A connection that ended tells of no change any more. */
  lost(server: string): void {
    for (const followed of this.#followed.values()) {
      for (const one of followed.values()) if (one.server === server) one.stale = true
    }
  }

  end(session: string): void {
    this.#pinned.delete(session)
    this.#leave(session, new Set())
  }

  async #piece(session: string, rule: AttachRule, parts: AttachmentParts, options: ActOptions): Promise<AttachedPiece> {
    const all = this.#followed.get(session) ?? new Map<string, Followed>()
    this.#followed.set(session, all)
    const key = keyOf(rule)
    const known = all.get(key)
    if (known !== undefined && !known.stale) return noted(known.piece, parts, options)
    all.delete(key)
    await known?.close().catch(() => {})
    let changed = false
    const { piece, close } = await followAttachment(rule, parts, options, () => {
      changed = true
      const now = all.get(key)
      if (now !== undefined) now.stale = true
    })
    if (close !== undefined) all.set(key, { server: rule.server, piece, close, stale: changed })
    return piece
  }

  /** Follows no longer what is not wanted any more. */
  #leave(session: string, wanted: ReadonlySet<string>): void {
    const all = this.#followed.get(session)
    if (all === undefined) return
    for (const [key, { close }] of all) {
      if (wanted.has(key)) continue
      all.delete(key)
      void close().catch(() => {})
    }
    if (all.size === 0) this.#followed.delete(session)
  }
}

/** Not read anew, but said anew: in this turn, too, they are that server's words. */
function noted(piece: AttachedPiece, parts: AttachmentParts, options: ActOptions): AttachedPiece {
  const { server, content } = piece
  admit(content, { server, trusted: parts.trusts(server) }, parts.context(options))
  return piece
}

function keyOf({ server, uri }: AttachRule): string {
  return JSON.stringify([server, uri])
}
