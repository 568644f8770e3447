/** Reads the `url` option, and keeps what is secret in it out of everything that is said later. */

import { fileURLToPath } from 'node:url'
import { PorticoError } from '@portico/sdk/server'
import { checkPostgresEncryption, mysqlEncryption } from './remote/encryption.ts'

type Target =
  | { readonly kind: 'sample' }
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgresql'; readonly url: string; readonly secrets: readonly string[] }
  | { readonly kind: 'mysql'; readonly url: URL; readonly secrets: readonly string[] }

const KNOWN = 'sqlite:path, postgres://…, mysql://… or mariadb://…'

export function readTarget(url: string | undefined): Target {
  if (url === undefined || url === '') return { kind: 'sample' }
  if (url.startsWith('file:')) return { kind: 'sqlite', file: fileURLToPath(url) }
  const scheme = /^([a-z][a-z\d+]+):/.exec(url)?.[1]
  switch (scheme) {
    case 'sqlite':
    case 'sqlite3':
      return { kind: 'sqlite', file: sqlitePath(url.slice(scheme.length + 1)) }
    case 'postgres':
    case 'postgresql': {
      const parsed = parse(url)
      checkPostgresEncryption(parsed)
      return { kind: 'postgresql', url, secrets: secretsOf(parsed) }
    }
    case 'mysql':
    case 'mariadb': {
      const parsed = parse(url)
      mysqlEncryption(parsed)
      return { kind: 'mysql', url: parsed, secrets: secretsOf(parsed) }
    }
    default:
      // The text itself is not repeated: a mistyped URL has the password in it all the same.
      throw new PorticoError('invalid-arguments', `The database’s url must be ${KNOWN}`)
  }
}

/** Both `sqlite:data.db` and `sqlite:///var/data.db` are in use. */
function sqlitePath(rest: string): string {
  const file = rest.startsWith('//') ? rest.slice(2) : rest
  if (file === '') throw new PorticoError('invalid-arguments', 'The sqlite: url needs the path of a file')
  return file
}

function parse(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new PorticoError('invalid-arguments', `The database’s url cannot be read; it must be ${KNOWN}`)
  }
}

function secretsOf(url: URL): string[] {
  const fields = [url.password, url.searchParams.get('password') ?? '']
  return fields.flatMap((field) => [field, decoded(field)]).filter((secret) => secret.length > 0)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What is shorter than this is a word that a message may hold by chance. */
const MIN_SECRET = 6

/**
 * A driver's message without the password. What the database answers is left as it is: it does not know the password,
 * but quotes the statement, and a mask there would tell whoever wrote it that a guess was right.
 */
export function messageOf(error: unknown, secrets: readonly string[], isAnswer: boolean): string {
  const message = error instanceof Error ? error.message || error.name : String(error)
  if (isAnswer) return message
  return secrets.reduce((text, secret) => (secret.length < MIN_SECRET ? text : text.replaceAll(secret, '•••')), message)
}
