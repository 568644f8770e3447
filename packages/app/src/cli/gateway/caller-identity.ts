/**
 * Who may call what we serve on a port: people with an issuer's access token, programs with a token of ours, holders of
 * a client certificate. `serve`, `bridge` and `run` make their protection here.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Protection, requireBearer } from '@portico/sdk/bearer'
import { createPrincipal } from '@portico/sdk/server'
import { CliError } from '../../exit-codes.ts'
import type { Io } from '../terminal/io.ts'

interface IssuerOptions {
  readonly issuer: string | readonly string[]
  /** The URL under which clients know us. */
  readonly resource: string
  readonly scopes?: readonly string[]
  readonly audiences?: readonly string[]
}

/** Access tokens of an authorization server. */
export function acceptIssuer(options: IssuerOptions): Protection {
  try {
    return requireBearer(options)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CliError('usage', message, 'Give the issuer and the resource as URLs.', error)
  }
}

const SHORTEST_TOKEN = 16

/** Tokens that were handed out by the operator, by the name of who got each. */
export function acceptTokens(tokens: ReadonlyMap<string, string>): Protection {
  const known = [...tokens].map(([name, token]) => {
    if (token.length < SHORTEST_TOKEN) {
      throw new CliError(
        'config',
        `The token of "${name}" has fewer than ${SHORTEST_TOKEN} characters`,
        'Make a longer one.',
      )
    }
    return { digest: digestOf(token), principal: createPrincipal(name) }
  })
  return {
    authenticate(head) {
      const [, given] = /^Bearer +(\S+)$/i.exec(head.header('authorization') ?? '') ?? []
      const digest = digestOf(given ?? '')
      // All are compared, so that the time says nothing about which one was close.
      const found = known.filter((one) => timingSafeEqual(one.digest, digest))[0]
      return given === undefined || found === undefined ? REFUSED : found.principal
    },
  }
}

/** The token in PORTICO_TOKEN, or one that is made up and has to be shown. */
export function acceptOwnToken(env: Io['env']): { readonly protection: Protection; readonly note?: string } {
  const given = env.PORTICO_TOKEN
  const token = given ?? randomBytes(24).toString('base64url')
  const protection = acceptTokens(new Map([['caller', token]]))
  return given === undefined
    ? { protection, note: `Callers need this header:\n  Authorization: Bearer ${token}` }
    : { protection }
}

const REFUSED = {
  status: 401,
  message: 'A token is needed: Authorization: Bearer …',
  headers: ['www-authenticate', 'Bearer'],
} as const

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
