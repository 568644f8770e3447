/**
 * What each server's items meant when they were approved. The first sight of an item approves it, unless that is switched
 * off; from then on a changed meaning puts it into quarantine until somebody approves the new one, whether or not the
 * server announced the change. `pin-file.ts` keeps the pins on disk; `catalogue.ts` asks at every listing.
 */

import type { JsonObject } from '@portico/sdk/client'
import { callListener } from '../../config/call-listener.ts'
import type { ItemKind, Quarantine } from '../catalogue/item.ts'
import type { ServerIdentity } from '../identity.ts'
import { differenceOf } from './difference.ts'
import { fingerprintOf, onceMeaningOf } from './fingerprint.ts'
import type { Pin, PinTable } from './pin.ts'
import { createPinFile, type PinFile } from './pin-file.ts'
import type { SharedPins } from './shared-pins.ts'

/** Options of `createPinStore`: the file, and whether an item that was never seen before is approved by itself. */
export interface PinStoreOptions {
  /** Where pins are kept; in memory alone without it. */
  readonly file?: string
  /** In place of a file: pins that several machines share. */
  readonly shared?: SharedPins
  /** New items are approved when they are first seen. True unless given. */
  readonly approveNew?: boolean
  readonly onWarning?: (message: string) => void
  readonly now?: () => number
}

/** An item as its server describes it at this moment. */
export interface ObservedItem {
  readonly server: string
  readonly kind: ItemKind
  readonly ownName: string
  readonly meaning: JsonObject
}

/** What is pinned besides items: what a server tells models, and callers of a gateway, about itself. */
export type PinKind = ItemKind | 'instructions' | 'identity'

/** Marks a server of which some pins were given up. */
const FORGETS = 'identity forgets'

/** Under this name they are pinned, asked about and approved. */
export const INSTRUCTIONS = 'instructions'
export const IDENTITY = 'identity'

/** The fingerprint of a definition as it is now, and the quarantine it is in if that is not the approved one. */
export interface PinCheck {
  readonly fingerprint: string
  readonly quarantine?: Quarantine
}

interface Waiting {
  readonly server: string
  readonly kind: PinKind
  readonly ownName: string
  readonly fingerprint: string
  readonly quarantine: Quarantine
}

/** The approved definitions of items: compares what servers list with them, and takes new approvals. */
export interface PinStore {
  /** Judges what was seen and remembers it. With `accepts`, changes are approved as they come: the server is trusted. */
  check(observed: ObservedItem, accepts?: boolean): PinCheck
  /** The same for what a server tells models about itself. */
  checkInstructions(server: string, text: string, accepts?: boolean): PinCheck
  /** The same for what else it says of itself. */
  checkIdentity(server: string, identity: ServerIdentity, accepts?: boolean): PinCheck
  /** The same for what it calls itself. Its version may change with every update. */
  checkName(server: string, name: string, accepts?: boolean): PinCheck
  /** Takes up what other processes have approved since. Returns how many. */
  reload(): number
  /** Approves the newest meaning of an item; all of a server's items without a name. Returns how many. */
  approve(server: string, ownName?: string, kind?: PinKind): number
  /** What waits for approval. */
  waiting(): Waiting[]
  /** The approved items of a server that its last listing still had. */
  known(server: string): ObservedItem[]
  /** When a server first listed an item; undefined for one that it never did. */
  since(server: string, kind: ItemKind, ownName: string): number | undefined
  /** Says what a whole listing of one kind had, so that `known` leaves out the rest. Pins themselves stay. */
  listed(server: string, kind: ItemKind, ownNames: ReadonlySet<string>): void
  /** Forgets a server: everything about it is new the next time. */
  forget(server: string): void
  /** Resolves when everything so far is on disk. */
  flush(): Promise<void>
}

/** Pins for one server beyond this are not kept: an item is then judged as new each time. */
const MAX_PINS = 8_000
/**
 * Pins for one server of items that it lists no longer. Beyond this the oldest go, and nothing new of that server is approved
 * by being seen: it may be what was forgotten, under the same name and with another meaning.
 */
const MAX_ABSENT = 1_000

/**
 * Keeps the approved definition of every item, so that one that changes later is noticed and cannot be used until
 * somebody approves the change. Give it to `createCatalogue`.
 *
 * @example
 * ```ts
 * import { createCatalogue, createPinStore, createUpstreams } from '@portico/host/upstream'
 *
 * const pins = createPinStore({ file: '/home/ann/.portico/pins.json' })
 * const catalogue = createCatalogue(createUpstreams(), { pins })
 * ```
 */
export function createPinStore(options: PinStoreOptions = {}): PinStore {
  const { shared, file, onWarning = () => {} } = options
  return new Pins(shared ?? (file === undefined ? undefined : createPinFile(file, onWarning)), options)
}

class Pins implements PinStore {
  readonly #file: PinFile | undefined
  readonly #table: PinTable
  readonly #approveNew: boolean
  readonly #now: () => number
  readonly #isShared: boolean
  readonly #onWarning: ((message: string) => void) | undefined

  constructor(file: PinFile | undefined, { approveNew = true, now = Date.now, shared, onWarning }: PinStoreOptions) {
    this.#onWarning = onWarning
    this.#file = file
    this.#isShared = shared !== undefined
    this.#table = file?.read() ?? new Map()
    this.#approveNew = approveNew
    this.#now = now
  }

  check({ server, kind, ownName, meaning }: ObservedItem, accepts = false): PinCheck {
    return this.#check(server, keyOf(kind, ownName), meaning, accepts)
  }

  checkInstructions(server: string, text: string, accepts = false): PinCheck {
    return this.#check(server, keyOf(INSTRUCTIONS, INSTRUCTIONS), { text }, accepts)
  }

  checkIdentity(server: string, identity: ServerIdentity, accepts = false): PinCheck {
    return this.#check(server, keyOf(IDENTITY, IDENTITY), { ...identity }, accepts)
  }

  checkName(server: string, name: string, accepts = false): PinCheck {
    return this.#check(server, keyOf(IDENTITY, 'name'), { name }, accepts)
  }

  reload(): number {
    this.#writeAgain()
    let count = 0
    for (const [server, theirs] of this.#found()) {
      const pins = this.#pinsOf(server)
      for (const [key, pin] of theirs) {
        const own = pins.get(key)
        const next = afterNews(own, pin, this.#isShared)
        if (next === own || next === undefined) continue
        pins.set(key, next)
        count++
      }
    }
    return count
  }

  /** To what was removed, everything would be new the next time: a changed definition as well. */
  #writeAgain(): void {
    if (this.#file?.isGone() !== true || this.#table.size === 0) return
    for (const [server, pins] of this.#table) for (const [key, pin] of pins) this.#file.write(server, key, pin)
    this.#warn('The file of pins was removed, and is written again as this process knows them')
  }

  #warn(message: string): void {
    if (this.#onWarning) callListener(this.#onWarning, message)
  }

  /** What cannot be read for now is looked at again with the next change. */
  #found(): PinTable {
    try {
      return this.#file?.read() ?? new Map()
    } catch {
      return new Map()
    }
  }

  #check(server: string, key: string, meaning: JsonObject, accepts: boolean): PinCheck {
    const pins = this.#pinsOf(server)
    const fingerprint = fingerprintOf(meaning)
    const pin = pins.get(key)
    if (pin === undefined) {
      if (pins.size >= MAX_PINS) return this.#beyond(fingerprint, meaning)
      const since = this.#now()
      const by = accepts ? 'trust' : 'first-sight'
      const fresh: Pin =
        (this.#approveNew && !pins.has(FORGETS)) || accepts
          ? { approved: { fingerprint, meaning, at: since, by, whole: true }, present: true, since }
          : { pending: { fingerprint, meaning, since }, present: true, since }
      this.#set(server, key, fresh)
      return pinCheckOf(fresh, fingerprint)
    }
    const next = this.#judge(upgrade(pin, fromKey(key)[0], fingerprint, meaning), fingerprint, meaning, accepts)
    if (next !== pin) this.#set(server, key, next)
    return pinCheckOf(next, fingerprint)
  }

  approve(server: string, ownName?: string, kind?: PinKind): number {
    const pins = this.#table.get(server) ?? new Map<string, Pin>()
    let count = 0
    for (const [key, pin] of pins) {
      const [pinKind, pinName] = fromKey(key)
      const isMeant = (ownName === undefined || pinName === ownName) && (kind === undefined || pinKind === kind)
      if (!isMeant || pin.pending === undefined) continue
      const { fingerprint, meaning } = pin.pending
      const approved = { fingerprint, meaning, at: this.#now(), by: 'person', whole: true } as const
      this.#set(server, key, { ...pin, approved, pending: undefined })
      count++
    }
    return count
  }

  waiting(): Waiting[] {
    return [...this.#table].flatMap(([server, pins]) =>
      [...pins].flatMap(([key, pin]) => {
        const quarantine = quarantineOf(pin)
        const [kind, ownName] = fromKey(key)
        const fingerprint = pin.pending?.fingerprint ?? ''
        return quarantine === undefined ? [] : [{ server, kind, ownName, fingerprint, quarantine }]
      }),
    )
  }

  known(server: string): ObservedItem[] {
    return [...(this.#table.get(server) ?? [])].flatMap(([key, { approved, pending, present }]) => {
      const [kind, ownName] = fromKey(key)
      const meaning = pending?.meaning ?? approved?.meaning
      if (!present || meaning === undefined || kind === INSTRUCTIONS || kind === IDENTITY) return []
      return [{ server, kind, ownName, meaning }]
    })
  }

  since(server: string, kind: ItemKind, ownName: string): number | undefined {
    const { since, approved } = this.#table.get(server)?.get(keyOf(kind, ownName)) ?? {}
    return since ?? (approved?.by === 'first-sight' ? approved.at : undefined)
  }

  listed(server: string, kind: ItemKind, ownNames: ReadonlySet<string>): void {
    const pins = this.#pinsOf(server)
    for (const [key, pin] of pins) {
      const [pinKind, ownName] = fromKey(key)
      const present = ownNames.has(ownName)
      if (pinKind === kind && pin.present !== present) this.#set(server, key, { ...pin, present })
    }
    this.#bound(server, pins)
  }

  /** Of items that are listed no longer, the newest are kept. */
  #bound(server: string, pins: Map<string, Pin>): void {
    if (pins.size <= MAX_ABSENT) return
    const absent = [...pins].flatMap(([key, { present }]) => (present || key === FORGETS ? [] : [key]))
    if (absent.length <= MAX_ABSENT) return
    for (const key of absent.slice(0, absent.length - MAX_ABSENT)) {
      pins.delete(key)
      this.#file?.write(server, key, undefined)
    }
    if (pins.has(FORGETS)) return
    const at = this.#now()
    this.#set(server, FORGETS, { approved: { fingerprint: '', meaning: {}, at, by: 'first-sight' }, present: false })
    const message = `The server "${server}" has taken back more than ${MAX_ABSENT} tools, resources and prompts`
    this.#warn(`${message}: the oldest are forgotten, and new ones wait for approval`)
  }

  forget(server: string): void {
    if (this.#table.delete(server)) this.#file?.forget(server)
  }

  async flush(): Promise<void> {
    await this.#file?.flush()
  }

  #judge(pin: Pin, fingerprint: string, meaning: JsonObject, accepts: boolean): Pin {
    const { approved, pending } = pin
    // It is again what it was when it was approved.
    if (approved?.fingerprint === fingerprint)
      return pending === undefined ? pin : { ...pin, pending: undefined, present: true }
    if (accepts) {
      const trusted = { fingerprint, meaning, at: this.#now(), by: 'trust', whole: true } as const
      return { ...pin, approved: trusted, pending: undefined, present: true }
    }
    if (pending?.fingerprint === fingerprint) return pin
    return { ...pin, pending: { fingerprint, meaning, since: this.#now() }, present: true }
  }

  /** Nothing is remembered of it, so that it cannot be told whether it changed. */
  #beyond(fingerprint: string, meaning: JsonObject): PinCheck {
    return pinCheckOf({ pending: { fingerprint, meaning, since: this.#now() }, present: true }, fingerprint)
  }

  #pinsOf(server: string): Map<string, Pin> {
    const pins = this.#table.get(server) ?? new Map<string, Pin>()
    this.#table.set(server, pins)
    return pins
  }

  #set(server: string, key: string, pin: Pin): void {
    this.#pinsOf(server).set(key, pin)
    this.#file?.write(server, key, pin)
  }
}

/**
 * A pin after others have written theirs. An approval of what waits here is news; what else they have seen is for their own
 * connection, unless all are replicas of one gateway: there the first sight of the first of them counts for all.
 */
function afterNews(own: Pin | undefined, theirs: Pin, isShared: boolean): Pin | undefined {
  const { approved } = theirs
  if (approved === undefined) return own
  if (own !== undefined && approved.fingerprint === own.pending?.fingerprint) {
    return { ...own, approved, pending: undefined }
  }
  if (!isShared) return own
  if (own === undefined) return theirs
  const seen = own.approved
  const isLater = seen?.by === 'first-sight' && approved.by === 'first-sight' && approved.at < seen.at
  if (!isLater || seen.fingerprint === approved.fingerprint || own.pending !== undefined) return own
  return { ...own, approved, pending: { fingerprint: seen.fingerprint, meaning: seen.meaning, since: seen.at } }
}

/** A pin of an earlier version, where what it has is unchanged: the rest of the definition is seen for the first time. */
function upgrade(pin: Pin, kind: PinKind, fingerprint: string, meaning: JsonObject): Pin {
  const { approved } = pin
  if (approved === undefined || approved.whole === true || kind === INSTRUCTIONS || kind === IDENTITY) return pin
  if (approved.fingerprint !== fingerprintOf(onceMeaningOf(kind, meaning))) return pin
  return { ...pin, approved: { ...approved, fingerprint, meaning, whole: true } }
}

function pinCheckOf(pin: Pin, fingerprint: string): PinCheck {
  const quarantine = quarantineOf(pin)
  return quarantine === undefined ? { fingerprint } : { fingerprint, quarantine }
}

function quarantineOf({ approved, pending }: Pin): Quarantine | undefined {
  if (pending === undefined) return undefined
  return {
    since: pending.since,
    approvedFingerprint: approved?.fingerprint ?? '',
    difference: differenceOf(approved?.meaning ?? {}, pending.meaning),
  }
}

function keyOf(kind: PinKind, ownName: string): string {
  return `${kind} ${ownName}`
}

function fromKey(key: string): [kind: PinKind, ownName: string] {
  const space = key.indexOf(' ')
  // Keys are made by `keyOf`, and `pin-file.ts` takes no others from a file.
  return [key.slice(0, space) as PinKind, key.slice(space + 1)]
}
