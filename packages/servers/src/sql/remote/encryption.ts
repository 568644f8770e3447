/**
 * What a database's url says about encryption. A word that is not understood is refused: to connect without would be the opposite of
 * what whoever wrote it asked for.
 */

import { PorticoError } from '@portico/sdk/server'

/** `authority`: by somebody this machine trusts; `identity`: and made out to that very host. */
type Encryption = 'none' | 'authority' | 'identity'

/** MySQL's five words, PostgreSQL's, and what libraries write for yes and no. Whoever prefers encryption gets it. */
const WORDS: ReadonlyMap<string, Encryption> = new Map([
  ...['disabled', 'disable', 'false', '0', 'no', 'off'].map((word) => [word, 'none'] as const),
  ...['preferred', 'prefer', 'allow', 'required', 'require', 'true', '1', 'yes', 'on', 'verify-ca'].map(
    (word) => [word, 'authority'] as const,
  ),
  ...['verify-identity', 'verify-full'].map((word) => [word, 'identity'] as const),
])

const MYSQL_NAMES = ['ssl-mode', 'sslmode', 'ssl']

export function mysqlEncryption(url: URL): Encryption {
  const said = safetyWords(url)
  const foreign = said.find(([name]) => !MYSQL_NAMES.includes(name))
  if (foreign !== undefined) throw notUnderstood(foreign[0], MYSQL_NAMES)
  if (said.length > 1) throw wrong('The database’s url says more than once how to encrypt: say it once, with ssl-mode')
  const [only] = said
  if (only === undefined) return 'none'
  const found = WORDS.get(only[1].toLowerCase().replaceAll('_', '-'))
  if (found !== undefined) return found
  throw wrong(
    `The url’s ${only[0]} is none of DISABLED, PREFERRED, REQUIRED, VERIFY_CA and VERIFY_IDENTITY: the database was not connected to`,
  )
}

/** What `pg` understands; it reads all of it itself. */
const POSTGRES_WORDS: { readonly [name: string]: readonly string[] | undefined } = {
  sslmode: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  ssl: ['true', '1', '0', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
}
const POSTGRES_FILES = ['sslcert', 'sslkey', 'sslrootcert']

export function checkPostgresEncryption(url: URL): void {
  const seen = new Set<string>()
  for (const [name, word] of safetyWords(url)) {
    const words = Object.hasOwn(POSTGRES_WORDS, name) ? POSTGRES_WORDS[name] : undefined
    if (words === undefined && !POSTGRES_FILES.includes(name)) {
      throw notUnderstood(name, [...Object.keys(POSTGRES_WORDS), ...POSTGRES_FILES])
    }
    if (words !== undefined && !words.includes(word)) {
      throw wrong(`The url’s ${name} is none of ${words.join(', ')}: the database was not connected to`)
    }
    if (seen.has(name)) throw wrong(`The database’s url has ${name} more than once`)
    seen.add(name)
  }
}

/** Names that speak of encryption, as they are written: libraries know them in that spelling alone. */
function safetyWords(url: URL): [name: string, word: string][] {
  return [...url.searchParams].filter(([name]) => /ssl|tls|encrypt|secure|certificate|gssenc/i.test(name))
}

function notUnderstood(name: string, known: readonly string[]): PorticoError {
  const shown = name.replace(/[^\w-]/g, '').slice(0, 40)
  return wrong(`The url’s “${shown}” is not understood; about encryption it may have ${known.join(', ')}`)
}

function wrong(message: string): PorticoError {
  return new PorticoError('invalid-arguments', message)
}
