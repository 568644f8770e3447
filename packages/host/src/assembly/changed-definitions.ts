/**
 * What a server's definitions or instructions have become since they were approved is put to the person and written
 * down, whatever program the host is part of. Until somebody says yes, the item cannot be used and the instructions are
 * not shown to any model.
 */

import type { AuditSink } from '../audit/record.ts'
import { callListener } from '../config/call-listener.ts'
import type { Inbox } from '../consent/inbox.ts'
import type { Catalogue } from '../upstream/catalogue/catalogue.ts'
import type { Quarantine } from '../upstream/catalogue/item.ts'
import { IDENTITY, INSTRUCTIONS, type PinKind, type PinStore } from '../upstream/pins/pins.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

interface ChangedDefinitionsParts {
  readonly catalogue: Catalogue
  readonly upstreams: Upstreams
  readonly pins: PinStore
  readonly inbox: Inbox
  readonly audit: AuditSink
  /** Somebody is there to be asked. */
  readonly attended: boolean
  readonly session: string
  readonly onWarning: (message: string) => void
}

interface Changed {
  readonly server: string
  readonly kind: PinKind
  readonly ownName: string
  readonly name: string
  readonly quarantine: Quarantine
}

/** Questions of one server at a time; the rest is seen with the server. */
const MAX_OF_SERVER = 10

export class ChangedDefinitions {
  readonly #parts: ChangedDefinitionsParts
  readonly #noted = new Set<string>()
  readonly #asked = new Map<string, { readonly server: string; readonly leave: AbortController }>()
  readonly #stops: (() => void)[]

  constructor(parts: ChangedDefinitionsParts) {
    this.#parts = parts
    this.#stops = [
      parts.catalogue.on('change', () => this.look()),
      parts.upstreams.on('state', ({ state }) => state.state === 'ready' && this.look()),
    ]
  }

  close(): void {
    for (const stop of this.#stops) stop()
    for (const { leave } of this.#asked.values()) leave.abort()
  }

  look(): void {
    const changed = new Map(
      [...this.#items(), ...this.#instructions(), ...this.#identities(), ...this.#names()].map((one) => [
        keyOf(one),
        one,
      ]),
    )
    for (const [key, { leave }] of this.#asked) {
      if (changed.has(key)) continue
      this.#asked.delete(key)
      leave.abort(new DOMException('It was settled elsewhere', 'AbortError'))
    }
    for (const key of this.#noted) if (!changed.has(key)) this.#noted.delete(key)
    for (const [key, one] of changed) {
      if (!this.#noted.has(key)) this.#note('definition-changed', one)
      this.#noted.add(key)
      if (this.#parts.attended && !this.#asked.has(key) && this.#countOf(one.server) < MAX_OF_SERVER)
        this.#ask(key, one)
    }
  }

  #items(): Changed[] {
    return this.#parts.catalogue.items().flatMap(({ server, kind, ownName, name, quarantine }) => {
      return quarantine === undefined ? [] : [{ server, kind, ownName, name, quarantine }]
    })
  }

  /** Looked at with every change, so that a server that is connected anew with other words is noticed. */
  #instructions(): Changed[] {
    return this.#parts.upstreams.views().flatMap(({ name: server, instructions, config }) => {
      if (instructions === undefined) return []
      const { quarantine } = this.#parts.pins.checkInstructions(server, instructions, config.settings.trusted)
      if (quarantine === undefined) return []
      return [{ server, kind: INSTRUCTIONS, ownName: INSTRUCTIONS, name: `instructions of ${server}`, quarantine }]
    })
  }

  #identities(): Changed[] {
    return this.#parts.upstreams.views().flatMap(({ name: server, identity, config }) => {
      if (identity === undefined) return []
      const { quarantine } = this.#parts.pins.checkIdentity(server, identity, config.settings.trusted)
      if (quarantine === undefined) return []
      return [{ server, kind: IDENTITY, ownName: IDENTITY, name: `what ${server} says of itself`, quarantine }]
    })
  }

  /** A server that calls itself otherwise may be another one. */
  #names(): Changed[] {
    return this.#parts.upstreams.views().flatMap(({ name: server, serverInfo, config }) => {
      if (serverInfo === undefined) return []
      const { quarantine } = this.#parts.pins.checkName(server, serverInfo.name, config.settings.trusted)
      if (quarantine === undefined) return []
      return [{ server, kind: IDENTITY, ownName: 'name', name: `what ${server} calls itself`, quarantine }]
    })
  }

  #countOf(server: string): number {
    return [...this.#asked.values()].filter((one) => one.server === server).length
  }

  #ask(key: string, one: Changed): void {
    const { inbox, session } = this.#parts
    const leave = new AbortController()
    const { server, name, quarantine } = one
    this.#asked.set(key, { server, leave })
    const body = { kind: 'definition', item: name, difference: quarantine.difference } as const
    inbox
      .ask({ server, session, body }, { signal: leave.signal })
      .then(({ action }) => {
        // After a no it is not asked again in this life of the program.
        this.#note(action === 'allow' ? 'definition-approved' : 'definition-refused', one)
        if (action === 'allow') this.#approve(one)
      })
      // Withdrawn, one too many, or the host is closed: what changed stays out of use.
      .catch(() => {})
  }

  #approve({ server, kind, ownName }: Changed): void {
    const { catalogue, pins } = this.#parts
    if (kind === INSTRUCTIONS || kind === IDENTITY) pins.approve(server, ownName, kind)
    else catalogue.approve(server, ownName, kind)
  }

  #note(what: string, { server, kind, name, quarantine }: Changed): void {
    const parts = quarantine.difference.map(({ part }) => part)
    const entry = { at: Date.now(), type: 'event', what, server, item: name, detail: { of: kind, parts } } as const
    this.#parts.audit.append(entry).catch((error) => {
      callListener(this.#parts.onWarning, `That ${name} changed could not be written down: ${String(error)}`)
    })
  }
}

function keyOf({ server, kind, ownName, quarantine }: Changed): string {
  return JSON.stringify([server, kind, ownName, quarantine.since])
}
