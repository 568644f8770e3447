/**
 * Which programs a user has let use a server behind the gateway in their name: looked at before the user is sent to the
 * server's authorization server, so that another program, server, purpose or way back is asked about, however often the
 * same browser was here before (sec-86). Kept in a file for its owner alone where there is one, and bounded.
 */

import type { StatePlace } from '../../config/shared-place.ts'
import { createStateFile, type StateFile, type StateFileOptions } from '../../config/state-file.ts'

/** What a user said yes to. */
export interface SignInConsent {
  readonly principal: string
  /** The program, as its token names it. */
  readonly clientId: string
  readonly server: string
  /** The authorization server's page, without what the request adds to it. */
  readonly page: string
  /** How the gateway is known there. */
  readonly gatewayId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly at: number
}

/** What users have agreed to, to be asked, added to, listed by user, and taken back. */
export interface SignInConsents {
  /** Whether the user has said yes to all of this. */
  covers(visit: ConsentSubject): Promise<boolean>
  add(visit: ConsentSubject): Promise<void>
  list(principal?: string): Promise<readonly SignInConsent[]>
  /** Takes consents back; the next sign-in asks. Tokens that were got stay where they are. */
  revoke(which: Partial<Pick<SignInConsent, 'principal' | 'clientId' | 'server'>>): Promise<number>
}

/** A sign-in as far as a person agrees to it. */
export interface ConsentSubject {
  readonly principal: string
  readonly clientId: string | undefined
  readonly server: string
  /** The authorization server's page, with everything that is asked for there. */
  readonly target: URL
}

/** Options of `createSignInConsents`: the file, and how long and how many consents are kept. */
export interface SignInConsentsOptions extends Partial<Omit<StateFileOptions, 'file'>> {
  /** The path, or a text that several machines share (`shareState`). */
  readonly file?: StatePlace
  /** How long a consent counts. 90 days unless given. */
  readonly keepMs?: number
  /** Consents of one user; the oldest go first. 100 unless given. */
  readonly maxPerPrincipal?: number
  /** Consents of all users; the oldest go first. 5,000 unless given. */
  readonly maxConsents?: number
}

const KEEP_MS = 90 * 86_400_000
const MAX_CHARS = 4_000
const MAX_TOTAL_CHARS = 4_000_000

/**
 * Keeps what users have agreed to when they signed in, so that they are not asked again for the same program, server
 * and scopes; in memory unless a file is given.
 *
 * @example
 * ```ts
 * import { createSignIn, createSignInConsents, createVisitors } from '@portico/host/gateway'
 * import { requireBearer } from '@portico/sdk/bearer'
 *
 * const url = 'https://gateway.example/sign-in'
 * const protection = requireBearer({ issuer: 'https://id.example', resource: 'https://gateway.example/mcp' })
 * const consents = createSignInConsents({ file: '/var/lib/gateway/consents.json' })
 * const signIn = createSignIn({ url, consents, visitors: createVisitors({ url, protection }) })
 * ```
 */
export function createSignInConsents(options: SignInConsentsOptions = {}): SignInConsents {
  const { keepMs = KEEP_MS } = options
  const state = options.file === undefined ? inMemory() : inFile(options.file, options.onWarning)
  const current = async (): Promise<readonly SignInConsent[]> => {
    const now = Date.now()
    return (await state.get()).filter(({ at }) => at <= now && now - at < keepMs)
  }
  return {
    async covers(visit) {
      const wanted = toConsent(visit)
      if (wanted === undefined) return false
      return (await current()).some(
        (one) => isSame(one, wanted) && wanted.scopes.every((scope) => one.scopes.includes(scope)),
      )
    },
    async add(visit) {
      const consent = toConsent(visit)
      // A program without a name could be any, and is asked about each time.
      if (consent === undefined) return
      await state.update((kept) => toBounded([...kept.filter((one) => !isSame(one, consent)), consent], options))
    },
    async list(principal) {
      return (await current()).filter((one) => principal === undefined || one.principal === principal)
    },
    async revoke(which) {
      const fits = (one: SignInConsent): boolean =>
        (['principal', 'clientId', 'server'] as const).every(
          (name) => which[name] === undefined || which[name] === one[name],
        )
      let count = 0
      await state.update((kept) => {
        const left = kept.filter((one) => !fits(one))
        count = kept.length - left.length
        return left
      })
      return count
    },
  }
}

function toConsent({ principal, clientId, server, target }: ConsentSubject): SignInConsent | undefined {
  if (clientId === undefined) return undefined
  const asked = (name: string): string => target.searchParams.get(name) ?? ''
  const scopes = [...new Set(asked('scope').split(' ').filter(Boolean))].sort()
  const page = `${target.origin}${target.pathname}`
  const about = { principal, clientId, server, page, gatewayId: asked('client_id'), redirectUri: asked('redirect_uri') }
  const consent = { ...about, scopes, at: Date.now() }
  return JSON.stringify(consent).length <= MAX_CHARS ? consent : undefined
}

/** Scopes may be fewer; everything else is as it was. */
function isSame(a: SignInConsent, b: SignInConsent): boolean {
  return MEMBERS.every((name) => a[name] === b[name])
}

const MEMBERS = ['principal', 'clientId', 'server', 'page', 'gatewayId', 'redirectUri'] as const

/** The newest, as many as fit. */
function toBounded(
  consents: readonly SignInConsent[],
  { maxPerPrincipal = 100, maxConsents = 5_000 }: SignInConsentsOptions,
): readonly SignInConsent[] {
  const own = new Map<string, number>()
  let chars = 0
  let count = 0
  const newestFirst = consents.toReversed().filter((one) => {
    const mine = (own.get(one.principal) ?? 0) + 1
    own.set(one.principal, mine)
    if (mine > maxPerPrincipal || count >= maxConsents || chars > MAX_TOTAL_CHARS) return false
    count++
    chars += JSON.stringify(one).length
    return true
  })
  return newestFirst.reverse()
}

function inFile(file: StatePlace, onWarning: StateFileOptions['onWarning']): StateFile<readonly SignInConsent[]> {
  return createStateFile<readonly SignInConsent[]>({
    file,
    ...(onWarning !== undefined && { onWarning }),
    empty: [],
    read: fromText,
    write: (consents) => JSON.stringify({ version: 1, consents }, null, 1),
  })
}

function inMemory(): StateFile<readonly SignInConsent[]> {
  let kept: readonly SignInConsent[] = []
  return {
    get: async () => kept,
    update: async (change) => {
      kept = change(kept)
      return kept
    },
  }
}

/** Throws for what is not such a file; it is then set aside, and everything is asked again. */
function fromText(text: string): readonly SignInConsent[] {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || !('consents' in value) || !Array.isArray(value.consents)) {
    throw new TypeError('no list of consents')
  }
  return value.consents.filter(isConsent)
}

function isConsent(value: unknown): value is SignInConsent {
  if (typeof value !== 'object' || value === null) return false
  const { at, scopes, ...texts } = value as { [name: string]: unknown }
  if (typeof at !== 'number' || !Array.isArray(scopes) || !scopes.every((one) => typeof one === 'string')) return false
  return MEMBERS.every((name) => typeof texts[name] === 'string')
}
