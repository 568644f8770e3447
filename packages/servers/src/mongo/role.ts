/**
 * Asks MongoDB itself what the account may do: one that could write, or act on the whole server, is refused unless the
 * operator says that it is meant. What the tools do not offer is then what the account could not do either.
 */

import { PorticoError } from '@portico/sdk/server'
import { spellHidden } from '../text/plain-text.ts'

/** Actions of the built-in roles `read` and `readAnyDatabase`, and others that only look. */
const READING: ReadonlySet<string> = new Set([
  ...['find', 'killCursors', 'listCollections', 'listIndexes', 'listSearchIndexes', 'listDatabases', 'changeStream'],
  ...['collStats', 'dbStats', 'dbHash', 'indexStats', 'planCacheRead'],
])

const ADVICE =
  'Connect as a user with the role "read" on this database, or pass the option "allowPowerfulRole" if this is meant.'

/** Judges the answer to `connectionStatus` with `showPrivileges`. */
export function requireReadingRole(status: unknown): void {
  const { authenticatedUsers, authenticatedUserPrivileges } = membersOf(membersOf(status).authInfo)
  if (!Array.isArray(authenticatedUsers) || authenticatedUsers.length === 0) {
    throw powerful('MongoDB does not know who this is, so whoever connects may do everything.')
  }
  // What cannot be seen is not taken to be harmless.
  if (!Array.isArray(authenticatedUserPrivileges)) throw powerful('MongoDB does not tell what this user may do.')
  const actions = authenticatedUserPrivileges.flatMap((one) => {
    const { actions: names } = membersOf(one)
    return Array.isArray(names) ? names.map(String) : ['anything']
  })
  const others = [...new Set(actions.filter((action) => !READING.has(action)))]
  if (others.length === 0) return
  throw powerful(`This user may do more than read: ${spellHidden(others.slice(0, 8).join(', '))}.`)
}

function membersOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as never) : {}
}

function powerful(finding: string): PorticoError {
  return new PorticoError('invalid-arguments', `${finding} ${ADVICE}`)
}
