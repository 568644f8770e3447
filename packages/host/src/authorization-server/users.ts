/**
 * The people who may sign in: names, passwords kept as hashes only, and what tokens say about each. Guessing is limited
 * per source, slowed down per name, and the work for one guess is bounded for all together.
 */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { PorticoError } from '@portico/sdk/server'
import { GuessLimit } from './guess-limit.ts'

/** Somebody who may sign in. */
export interface User {
  readonly password: string
  /** For the claim `roles` of access tokens. */
  readonly roles?: readonly string[]
  /** Further facts for ID tokens: `name`, `email`. */
  readonly claims?: { readonly [name: string]: unknown }
}

/** What is kept of a user beside the hash. */
type KnownUser = Omit<User, 'password'>

type SignIn = 'ok' | 'wrong' | 'too-often'

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
  readonly #guesses: GuessLimit
  #checks = 0

  constructor(users: { readonly [name: string]: string | User }) {
    const entries = Object.entries(users)
    if (entries.length === 0) throw new PorticoError('invalid-definition', 'The authorization server needs a user')
    this.#users = new Map(
      entries.map(([name, user]) => [name, keep(typeof user === 'string' ? { password: user } : user)]),
    )
    this.#guesses = new GuessLimit(this.#users.keys())
    this.#nobody = keep({ password: randomBytes(16).toString('hex') })
  }

  get(name: string): KnownUser | undefined {
    return this.#users.get(name)?.user
  }

  async signIn(name: string, password: string, source: string): Promise<SignIn> {
    if (this.#checks >= MAX_CHECKS || password.length > 1024) return 'too-often'
    const known = this.#users.get(name)
    const waitMs = this.#guesses.take(name, source)
    if (waitMs === undefined) return 'too-often'
    if (waitMs > 0) await pause(waitMs, undefined, { ref: false })
    if (this.#checks >= MAX_CHECKS) return 'too-often'
    this.#checks++
    try {
      const { salt, hash } = known ?? this.#nobody
      const right = timingSafeEqual(await derive(password, salt), await hash)
      if (!right || known === undefined) return 'wrong'
      this.#guesses.giveBack(name, source)
      return 'ok'
    } finally {
      this.#checks--
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
