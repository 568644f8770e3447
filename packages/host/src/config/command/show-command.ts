/**
 * The whole of what an entry would start or connect to, as text for the person who decides (sec-93): nothing is cut,
 * every argument is told apart from the next, what cannot be seen is made visible, and secrets stay references.
 */

import { showHidden } from '@portico/sdk/internal-text'
import type { ServerTarget } from '../server-config.ts'
import { ENVIRONMENT_PATTERN } from './danger-patterns.ts'
import { HIDDEN, hideInAddresses, isBare } from './hide-in-address.ts'
import { isSecretName, isSecretValue, toPieces } from './variables.ts'

/**
 * Writes a server's command line or address in one line for people to read before they approve it: secrets that stand
 * in it are hidden, references to secrets and hidden characters are shown.
 *
 * @example
 * ```ts
 * import { showCommand } from '@portico/host/config'
 *
 * showCommand({ kind: 'stdio', command: 'npx', args: ['-y', 'some-server'], env: { API_TOKEN: 'k3y-that-is-secret' } })
 * // 'API_TOKEN=‹hidden› npx -y some-server'
 * ```
 */
export function showCommand(target: ServerTarget): string {
  if (target.kind === 'in-process') return `${quote(target.module)} (in this process)`
  if (target.kind !== 'stdio') {
    const headers = Object.entries(target.headers).map(
      ([name, value]) => `${showName(name)}: ${showValue(name, value)}`,
    )
    return [makeVisible(hideInAddresses(target.url, false)), ...headers].join(' · ')
  }
  const { command, args, env, cwd, envFile } = target
  const words = Object.entries(env).map(([name, value]) => `${showName(name)}=${showValue(name, value)}`)
  if (envFile !== undefined) words.unshift(`(environment from ${quote(envFile)})`)
  words.push(...[command, ...hideInWords(args)].map(quote))
  if (cwd !== undefined) words.push(`(in ${quote(cwd)})`)
  return words.join(' ')
}

/**
 * Returns a server's entry without the secrets that somebody has written out in it, to be shown on pages and in
 * reports. It cannot be connected with.
 *
 * @example
 * ```ts
 * import { withoutSecrets } from '@portico/host/config'
 *
 * withoutSecrets({ kind: 'stdio', command: 'notes-server', args: [], env: { API_TOKEN: 'k3y-that-is-secret' } })
 * // { kind: 'stdio', command: 'notes-server', args: [], env: { API_TOKEN: '‹hidden›' } }
 * ```
 */
export function withoutSecrets(target: ServerTarget): ServerTarget {
  if (target.kind === 'stdio') return { ...target, args: hideInWords(target.args), env: hideAll(target.env) }
  if (target.kind === 'in-process') return { ...target, options: {} }
  return { ...target, url: hideInAddresses(target.url, false), headers: hideAll(target.headers) }
}

/**
 * Writes control, bidirectional, invisible and unassigned characters of a text as their code points and leaves
 * everything else as it is.
 *
 * @example
 * ```ts
 * import { makeVisible } from '@portico/host/config'
 *
 * makeVisible('no\u202Etes') // 'no⟦U+202E⟧tes'
 * ```
 */
export function makeVisible(text: string): string {
  return showHidden(text, 'word')
}

/** As a POSIX shell would need it, so that where one argument ends and the next begins is never in doubt. */
function quote(word: string): string {
  const shown = makeVisible(word)
  if (/^[\w@%+=:,./-]+$/.test(shown)) return shown
  // References read better without quotes around the whole.
  if (/^[\w@%+=:,./${}-]+$/.test(shown) && toPieces(word).some((piece) => typeof piece !== 'string')) return shown
  return `'${shown.replaceAll("'", `'\\''`)}'`
}

function showName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : quote(name)
}

function showValue(name: string, value: string): string {
  const shown = hideValue(name, value)
  return shown === HIDDEN ? HIDDEN : quote(shown)
}

function hideInWords(words: readonly string[]): string[] {
  return words.map((word) => hideInAddresses(word, true))
}

function hideAll(values: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hideValue(name, value)]))
}

function hideValue(name: string, value: string): string {
  return isHidden(name, value) ? HIDDEN : hideInAddresses(value, ENVIRONMENT_PATTERN.test(name))
}

/** Values written out stay to themselves where the name or the look of them says that they are secret. */
function isHidden(name: string, value: string): boolean {
  if (!isSecretName(name) && !isSecretValue(value)) return false
  return !toPieces(value).every((piece) => (typeof piece === 'string' ? SCHEMES.test(piece) : isBare(piece)))
}

const SCHEMES = /^(?:Bearer|Basic|token)?\s*$/i
