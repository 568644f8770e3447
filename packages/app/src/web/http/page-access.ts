/**
 * Decides who may talk to the workbench: whoever opened the link that was printed, once, in a browser on this machine. Judges
 * requests by their heads alone; `http.ts` moves the bytes.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The part of a request that is looked at. */
export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  header(name: string): string | undefined
}

interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly remedy: string
}

export interface PageAccess {
  /** The token of a link that lets one browser in, once. */
  mint(): string
  /** Takes the token of a link; gives the cookie to set, or undefined when it was used before or never given out. */
  admit(token: string): string | undefined
  /** Undefined when the request may go on. `open` requests (the page itself) need no session, all need the right host. */
  judge(head: RequestHead, open: boolean): Refusal | undefined
}

interface PageAccessOptions {
  /** Names, with port, under which the page is served. */
  readonly hosts: ReadonlySet<string>
  /** Told apart by port: browsers send a cookie to all ports of a host. */
  readonly cookie?: () => string
  readonly now?: () => number
  /** The browsers that were let in, kept so that they still are after a restart. In memory unless given. */
  readonly sessions?: KnownSessions
}

/** Digests of the cookies that are good, and until when. */
export interface KnownSessions {
  readonly value: readonly KnownSession[]
  set(value: readonly KnownSession[]): void
}

export interface KnownSession {
  readonly digest: string
  readonly until: number
}

/** What was kept of them, from a file of the same user. */
export function fromSavedSessions(value: unknown): readonly KnownSession[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter(
    (one): one is KnownSession =>
      typeof one === 'object' && one !== null && /^[0-9a-f]{64}$/.test(one.digest) && Number.isFinite(one.until),
  )
}

const TOKEN_LIFE_MS = 10 * 60_000
const MAX_TOKENS = 20
const MAX_SESSIONS = 20
/** A browser that is not used for so long needs another link. */
const SESSION_LIFE_MS = 7 * 24 * 3_600_000

export function createPageAccess(options: PageAccessOptions): PageAccess {
  const { hosts, cookie = () => 'portico_session', now = Date.now, sessions = inMemory() } = options
  const tokens = new Map<string, number>()
  return {
    mint() {
      const token = randomBytes(32).toString('base64url')
      tokens.set(digest(token), now() + TOKEN_LIFE_MS)
      dropOldest(tokens, MAX_TOKENS)
      return token
    },
    admit(token) {
      const key = digest(token)
      const expires = tokens.get(key)
      tokens.delete(key)
      if (expires === undefined || expires < now()) return undefined
      const session = randomBytes(32).toString('base64url')
      const living = sessions.value.filter(({ until }) => until > now())
      const fresh = { digest: digest(session), until: now() + SESSION_LIFE_MS }
      sessions.set([...living, fresh].slice(-MAX_SESSIONS))
      return `${cookie()}=${session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${SESSION_LIFE_MS / 1000}`
    },
    judge(head, open) {
      const host = head.header('host')?.toLowerCase()
      if (host === undefined || !hosts.has(host)) return FOREIGN_HOST
      const origin = head.header('origin')
      if (origin !== undefined && !isOwnOrigin(origin, host)) return FOREIGN_ORIGIN
      // Browsers name the origin of every request that changes something.
      if (!open && head.method !== 'GET' && origin === undefined) return FOREIGN_ORIGIN
      // A page of another site can neither read nor fake this header.
      const site = head.header('sec-fetch-site')
      if (!open && site !== undefined && site !== 'same-origin') return FOREIGN_ORIGIN
      if (open) return undefined
      if (!hasSession(head.header('cookie'), cookie(), sessions.value, now())) return NO_SESSION
      if (head.method === 'POST' && !isJson(head.header('content-type'))) return NOT_JSON
      return undefined
    },
  }
}

const FOREIGN_HOST: Refusal = {
  status: 421,
  code: 'foreign-host',
  message: 'This address is not one that the workbench is served under',
  remedy: 'Open the link that the program printed.',
}
const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: 'foreign-origin',
  message: 'Requests from other pages are refused',
  remedy: 'Open the link that the program printed.',
}
const NO_SESSION: Refusal = {
  status: 401,
  code: 'no-session',
  message: 'This browser has not been let in',
  remedy: 'Open the link that the program printed; each link works once. Start it once more to get another.',
}
const NOT_JSON: Refusal = {
  status: 415,
  code: 'not-json',
  message: 'Requests carry application/json',
  remedy: 'Set the content-type header.',
}

function isOwnOrigin(origin: string, host: string): boolean {
  return (
    URL.canParse(origin) && new URL(origin).host.toLowerCase() === host && /^https?:$/.test(new URL(origin).protocol)
  )
}

function isJson(type: string | undefined): boolean {
  return /^application\/json\b/i.test(type ?? '')
}

function inMemory(): KnownSessions {
  let value: readonly KnownSession[] = []
  return {
    get value() {
      return value
    },
    set(next) {
      value = next
    },
  }
}

function hasSession(
  cookies: string | undefined,
  name: string,
  sessions: readonly KnownSession[],
  now: number,
): boolean {
  const values = (cookies ?? '')
    .split(';')
    .map((cookie) => cookie.trim().split('='))
    .flatMap(([key, value]) => (key === name && value !== undefined ? [Buffer.from(digest(value))] : []))
  return values.some((key) =>
    sessions.some((session) => session.until > now && timingSafeEqual(Buffer.from(session.digest), key)),
  )
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function dropOldest(kept: Map<string, unknown>, most: number): void {
  const [oldest] = kept.keys()
  if (kept.size > most && oldest !== undefined) kept.delete(oldest)
}
