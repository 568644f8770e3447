/**
 * Signing in to a protected URL that was typed, with the same store of tokens as the host has. A page is opened only
 * where a person is there, and says first where it leads.
 */

import { join } from 'node:path'
import { authorizationCode, type UserAgent } from '@portico/sdk/auth'
import { createFileTokenStore, createLoopbackUserAgent, openBrowser } from '@portico/sdk/auth-node'
import type { ConnectOptions } from '@portico/sdk/client'
import { CliError } from '../exit-codes.ts'
import { stateOf } from './host-places.ts'
import { howToSignIn } from './target/unreachable.ts'
import type { Io } from './terminal/io.ts'
import { toLine } from './terminal/plain-text.ts'

export function createSignIn(io: Io): Pick<ConnectOptions, 'auth'> {
  return {
    auth: {
      grant: authorizationCode({ userAgent: io.interactive ? browserOf(io) : nobody(io), clientName: 'Portico' }),
      store: createFileTokenStore({ folder: join(stateOf(io), 'tokens') }),
    },
  }
}

/** The system's browser, with the address in the terminal as well. */
export function openPageOf(io: Io): (page: URL, added?: readonly string[]) => Promise<boolean> {
  return async (page, added) => {
    io.say(describePage(page, added, io))
    await openBrowser(page).catch(() => false)
    return true
  }
}

/** What the page is for: a first sign-in, or more than the person has agreed to so far. */
export function describePage(page: URL, added: readonly string[] | undefined, { paint }: Pick<Io, 'paint'>): string {
  const where = `${paint.bold(page.host)}:\n  ${page.href}`
  if (added === undefined) return `Sign in at ${where}`
  const list = added.length === 0 ? '' : ` (${toLine(added.join(', '), 200)})`
  return `You are signed in; more permissions are needed${list}. Agree at ${where}`
}

function browserOf(io: Io): UserAgent {
  return createLoopbackUserAgent({ openPage: openPageOf(io) })
}

function nobody(io: Io): UserAgent {
  const refuse = (): never => {
    throw new CliError('denied', 'The server wants you to sign in', howToSignIn(io))
  }
  return { redirectUri: refuse, open: refuse }
}
