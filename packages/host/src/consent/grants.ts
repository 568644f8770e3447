/**
 * Answers that are remembered, so that nobody is asked the same twice: matched before a question is put, listed and
 * taken back by whoever gave them. Those of a session live in memory and end with it, since another process may have a session of
 * the same name; those of a workspace and for always are kept in a file, or in a text that several processes share. So are, in such a
 * text, those for one time, and those of a gateway's caller, who has no session but their own name: whoever asks next may be
 * another process.
 */

import { randomUUID } from 'node:crypto'
import { toCanonicalJson, toDigest } from '../audit/canonical.ts'
import { callListener } from '../config/call-listener.ts'
import { followPlace, type StatePlace } from '../config/shared-place.ts'
import { createStateFile, type StateFile } from '../config/state-file.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { argumentsOf, itemOf } from '../policy/facts.ts'
import { type Clock, systemClock } from './clock.ts'
import { withinFairBound } from './fair-bound.ts'
import { type Grant, isCovering, type KnownDefinition } from './grant.ts'
import { fromGrantText } from './grant-text.ts'
import type { Answer } from './question.ts'

/** The remembered answers: to look up, add, list and take back. */
export interface Grants {
  /** A refusal before a permission, a narrow permission before a wide one. */
  peek(effect: Effect, circumstances: Circumstances, definition?: KnownDefinition): Grant | undefined
  /** Uses one that was found: false where it held for one time and has been used, here or by another process. */
  use(grant: Grant): Promise<boolean>
  /** Resolves when it is written; undefined when the answer is not to be remembered. */
  remember(
    effect: Effect,
    answer: Answer,
    circumstances: Circumstances,
    definition?: KnownDefinition,
  ): Promise<Grant | undefined>
  /** Keeps a yes whose asker is gone for the next time, for a short while. */
  keepOnce(effect: Effect, answer: Answer, circumstances: Circumstances, definition?: KnownDefinition): Grant
  list(): readonly Grant[]
  revoke(id: string): Promise<boolean>
  endSession(session: string): void
  /** Told after every change. */
  on(listener: () => void): () => void
  /** Takes up what other processes have written since; done by itself while the file is followed. */
  reload(): Promise<void>
  /** No longer follows the file. */
  close(): void
}

/** Options of `createGrants`: the file, and whether changes that other processes make to it count at once. */
export interface GrantsOptions {
  /** The path, or a text that several machines share (`shareState`); in memory alone unless given. */
  readonly file?: StatePlace
  /** Takes up what other processes write, as they do. */
  readonly follow?: boolean
  readonly clock?: Clock
  readonly onWarning?: (message: string) => void
}

/**
 * Keeps the answers that the person wants to be remembered, so that they are not asked the same thing again; in memory
 * unless a file is given.
 *
 * @example
 * ```ts
 * import { createGrants } from '@portico/host/consent'
 *
 * const grants = await createGrants({ file: '/home/ann/.portico/grants.json' })
 * const [first] = grants.list()
 * if (first !== undefined) await grants.revoke(first.id)
 * ```
 */
export async function createGrants(options: GrantsOptions = {}): Promise<Grants> {
  const grants = new KeptGrants(options)
  await grants.reload()
  if (options.follow === true) await grants.follow()
  return grants
}

const MAX_KEPT = 5_000
const MAX_PASSING = 10_000
/** A shared text is written whole with every change. */
const MAX_SHARED_PASSING = 1_000
const ONCE_MS = 3_600_000
/** A working day: nobody tells when a caller's session at a gateway ends. */
const CALLER_SESSION_MS = 12 * 3_600_000

class KeptGrants implements Grants {
  readonly #clock: Clock
  readonly #file: StateFile<readonly Grant[]> | undefined
  #kept: readonly Grant[] = []
  /** Of sessions, and for one time. */
  #passing: readonly Grant[] = []
  #byServer = new Map<string, Grant[]>()
  readonly #listeners = new Set<() => void>()
  readonly #path: StatePlace | undefined
  readonly #isShared: boolean
  readonly #warn: (message: string) => void
  #unfollow: (() => void) | undefined

  constructor({ file, clock = systemClock, onWarning }: GrantsOptions) {
    this.#clock = clock
    this.#path = file
    this.#isShared = file !== undefined && typeof file !== 'string'
    this.#warn = (message) => callListener(onWarning, message)
    this.#file =
      file === undefined
        ? undefined
        : createStateFile({
            file,
            ...(onWarning !== undefined && { onWarning }),
            empty: [],
            read: (text) => fromGrantText(text, this.#isShared),
            write: (grants) => JSON.stringify({ version: 1, grants }, null, 1),
          })
  }

  peek(effect: Effect, circumstances: Circumstances, definition?: KnownDefinition): Grant | undefined {
    let best: Grant | undefined
    for (const grant of this.#byServer.get(effect.server) ?? []) {
      if (!isCovering(grant, effect, circumstances, definition)) continue
      if (grant.action === 'deny') return grant
      if (best === undefined || rank(grant) > rank(best)) best = grant
    }
    return best
  }

  async use(grant: Grant): Promise<boolean> {
    if (grant.remember !== 'once') return true
    const isHere = this.list().some(({ id }) => id === grant.id)
    if (!this.#isShared) this.#forget(grant.id)
    if (!this.#isShared || !isHere) return isHere
    let isLeft = false
    // Of several that use it at once, one finds it there.
    await this.#update((kept) => {
      isLeft = kept.some(({ id }) => id === grant.id)
      return kept.filter(({ id }) => id !== grant.id)
    })
    return isLeft
  }

  async remember(
    effect: Effect,
    answer: Answer,
    circumstances: Circumstances,
    definition?: KnownDefinition,
  ): Promise<Grant | undefined> {
    const { remember: wished = 'once', action } = answer
    if (wished === 'once' || action === 'cancel') return undefined
    // Without a workspace, the session is the narrower of what is left.
    const remember = wished === 'workspace' && circumstances.workspace === undefined ? 'session' : wished
    const now = this.#clock.now()
    const isShared = this.#isShared && circumstances.relayed === true
    const grant: Grant = {
      ...toGrant(effect, answer, { about: circumstances, definition, at: now }),
      remember,
      ...(remember === 'session' && { session: circumstances.session }),
      ...(remember === 'session' && isShared && { expiresAt: now + CALLER_SESSION_MS }),
      ...(remember === 'workspace' && { workspace: circumstances.workspace }),
    }
    if (remember === 'session' && !isShared) this.#addPassing(grant)
    else await this.#update((kept) => this.#bound([...kept.filter((one) => !isSame(one, grant)), grant]))
    return grant
  }

  keepOnce(effect: Effect, answer: Answer, circumstances: Circumstances, definition?: KnownDefinition): Grant {
    const now = this.#clock.now()
    // For exactly what was shown, under the circumstances that it was shown in.
    const exact: Answer = { ...answer, breadth: 'arguments', pattern: undefined, evenIfTainted: true }
    const grant: Grant = {
      ...toGrant(effect, exact, { about: circumstances, definition, at: now }),
      remember: 'once',
      expiresAt: now + ONCE_MS,
    }
    if (!this.#isShared) this.#addPassing(grant)
    else this.#later((kept) => this.#bound([...kept.filter((one) => !isSame(one, grant)), grant]))
    return grant
  }

  list(): readonly Grant[] {
    const now = this.#clock.now()
    return [...this.#kept, ...this.#passing].filter(({ expiresAt = now + 1 }) => expiresAt > now)
  }

  async revoke(id: string): Promise<boolean> {
    const known = this.list().some((grant) => grant.id === id)
    this.#forget(id)
    if (this.#kept.some((grant) => grant.id === id)) await this.#update((kept) => kept.filter((one) => one.id !== id))
    return known
  }

  endSession(session: string): void {
    this.#passing = this.#passing.filter((grant) => grant.session !== session)
    if (this.#kept.some((grant) => grant.session === session))
      this.#later((kept) => kept.filter((grant) => grant.session !== session))
    this.#index()
  }

  async follow(): Promise<void> {
    if (this.#path === undefined) return
    const look = (): Promise<void> => this.reload().catch(() => {})
    this.#unfollow = await followPlace(this.#path, look, { settleMs: 20, pollMs: 1_000 })
  }

  close(): void {
    this.#unfollow?.()
  }

  async reload(): Promise<void> {
    if (this.#file !== undefined) this.#kept = await this.#file.get()
    this.#index()
  }

  on(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #update(change: (kept: readonly Grant[]) => readonly Grant[]): Promise<void> {
    this.#kept = this.#file === undefined ? change(this.#kept) : await this.#file.update(change)
    this.#index()
  }

  /** Counts here at once, and for the others when it is written. */
  #later(change: (kept: readonly Grant[]) => readonly Grant[]): void {
    this.#kept = change(this.#kept)
    this.#index()
    this.#update(change).catch((error: unknown) => this.#warn(`An answer is known here alone: ${error}`))
  }

  /** Without those whose time is over; what passes never takes the place of what lasts. */
  #bound(all: readonly Grant[]): readonly Grant[] {
    const now = this.#clock.now()
    const lasting = all.filter(({ expiresAt }) => expiresAt === undefined)
    const passing = all.filter(({ expiresAt = 0 }) => expiresAt > now)
    return [...withinFairBound(lasting, MAX_KEPT), ...withinFairBound(passing, MAX_SHARED_PASSING)]
  }

  #addPassing(grant: Grant): void {
    const all = [...this.#passing.filter((one) => !isSame(one, grant)), grant]
    this.#passing = withinFairBound(all, MAX_PASSING)
    this.#index()
  }

  #forget(id: string): void {
    this.#passing = this.#passing.filter((grant) => grant.id !== id)
    this.#index()
  }

  #index(): void {
    this.#byServer = new Map()
    for (const grant of [...this.#kept, ...this.#passing]) {
      const list = this.#byServer.get(grant.server)
      if (list === undefined) this.#byServer.set(grant.server, [grant])
      else list.push(grant)
    }
    for (const listener of [...this.#listeners]) callListener(listener)
  }
}

type Unbound = Omit<Grant, 'remember'>

interface Granting {
  readonly about: Circumstances
  readonly definition: KnownDefinition | undefined
  readonly at: number
}

function toGrant(effect: Effect, answer: Answer, { about, definition, at }: Granting): Unbound {
  const { breadth = 'item', pattern, evenIfTainted, by } = answer
  // Where an approval of everything cannot be meant, it is one of the thing itself.
  const held = effect.kind === 'connect' || effect.kind === 'root' ? 'item' : breadth
  const current = effect.kind === 'connect' ? effect.fingerprint : definition?.fingerprint
  return {
    id: randomUUID(),
    // Whoever cancels remembers nothing, and does not come here.
    action: answer.action === 'allow' ? 'allow' : 'deny',
    kind: effect.kind,
    server: effect.server,
    breadth: held,
    // What a connection runs may be shown in other words; its fingerprint says what it is.
    ...(held !== 'server' && effect.kind !== 'connect' && { item: itemOf(effect) }),
    ...(held === 'arguments' &&
      (pattern === undefined ? { argumentDigest: toDigest(argumentsOf(effect)) } : { pattern })),
    ...(effect.kind === 'flow' && { from: [...effect.from], inArguments: effect.inArguments === true }),
    ...(effect.kind === 'sample' && { context: effect.includeContext ?? 'none', maxTokens: effect.maxTokens }),
    ...(held !== 'server' && current !== undefined && { fingerprint: current }),
    ...(about.principal !== undefined && { principal: about.principal.id }),
    ...(evenIfTainted === true && { evenIfTainted }),
    at,
    ...(by !== undefined && { by }),
  }
}

const BREADTHS = { server: 0, item: 1, arguments: 2 } as const

/** Explicit words about untrusted text count most, then how narrow it is; what is used up by using it comes last. */
function rank({ evenIfTainted, breadth, remember }: Grant): number {
  return (evenIfTainted === true ? 8 : 0) + BREADTHS[breadth] + (remember === 'once' ? 0 : 4)
}

/** A new answer takes the place of an older one about the same. */
function isSame(a: Grant, b: Grant): boolean {
  const about = ({
    id: _id,
    at: _at,
    by: _by,
    action: _action,
    evenIfTainted: _even,
    expiresAt: _end,
    ...rest
  }: Grant) => toCanonicalJson(rest)
  return about(a) === about(b)
}
