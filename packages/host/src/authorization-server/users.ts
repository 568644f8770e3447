/**
 * The people who may sign in: names, passwords kept as hashes only, and what tokens say about each. Guessing is slowed
 * down per name, and the work for one guess is bounded for all together.
 */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { PorticoError } from '@portico/sdk/server'

export interface User {
  readonly password: string
  /** For the claim `roles` of access tokens. */
  readonly roles?: readonly string[]
  /** Further facts for ID tokens: `name`, `email`. */
  readonly claims?: { readonly [name: string]: unknown }
}

/** What is kept of a user beside the hash. */
export type KnownUser = Omit<User, 'password'>

export type SignIn = 'ok' | 'wrong' | 'too-often'

/** Wrong passwords for one name before it has to wait. */
const MAX_FAILURES = 5
const WAIT_MS = 60_000
/** Names whose failures are remembered. */
const MAX_NAMES = 1000
/** Passwords being checked at a time; each takes tens of milliseconds and 16 MB. */
const MAX_CHECKS = 8

interface Kept {
  readonly salt: Buffer
  readonly hash: Promise<Buffer>
  readonly user: KnownUser
}

export class Users {
  readonly #users: ReadonlyMap<string, Kept>
  /** Checked against for names that do not exist, so that they take as long as the others. */
  readonly #nobody: Kept
  readonly #failures = new Map<string, { count: number; since: number }>()
  #checks = 0

  constructor(users: { readonly [name: string]: string | User }) {
    const entries = Object.entries(users)
    if (entries.length === 0) throw new PorticoError('invalid-definition', 'The authorization server needs a user')
    this.#users = new Map(
      entries.map(([name, user]) => [name, keep(typeof user === 'string' ? { password: user } : user)]),
    )
    this.#nobody = keep({ password: randomBytes(16).toString('hex') })
  }

  get(name: string): KnownUser | undefined {
    return this.#users.get(name)?.user
  }

  async signIn(name: string, password: string, now = Date.now()): Promise<SignIn> {
    const failed = this.#failures.get(name)
    if (failed !== undefined && now - failed.since > WAIT_MS) this.#failures.delete(name)
    else if (failed !== undefined && failed.count >= MAX_FAILURES) return 'too-often'
    if (this.#checks >= MAX_CHECKS || password.length > 1024) return 'too-often'
    // Counted before the check, so that guesses at the same time count, too.
    this.#count(name, now)
    this.#checks++
    try {
      const known = this.#users.get(name)
      const { salt, hash } = known ?? this.#nobody
      const right = timingSafeEqual(await derive(password, salt), await hash)
      if (!right || known === undefined) return 'wrong'
      this.#failures.delete(name)
      return 'ok'
    } finally {
      this.#checks--
    }
  }

  #count(name: string, now: number): void {
    const failed = this.#failures.get(name) ?? { count: 0, since: now }
    failed.count++
    this.#failures.delete(name)
    this.#failures.set(name, failed)
    if (this.#failures.size <= MAX_NAMES) return
    // The first in a map is the one that was put in first.
    for (const [oldest] of this.#failures) {
      this.#failures.delete(oldest)
      break
    }
  }
}

function keep(user: User): Kept {
  if (user.password.length < 8) throw new PorticoError('invalid-definition', 'A password needs at least 8 characters')
  const salt = randomBytes(16)
  const { password, ...rest } = user
  return { salt, hash: derive(password, salt), user: rest }
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, 32, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}
