/**
 * The whole of what an entry would start or connect to, as text for the person who decides (sec-93): nothing is cut,
 * every argument is told apart from the next, what cannot be seen is made visible, and secrets stay references.
 */

import type { ServerTarget } from '../server-config.ts'
import { showHidden } from './hidden-characters.ts'
import { isSecretName, isSecretValue, toPieces, type Variable } from './variables.ts'

export function showCommand(target: ServerTarget): string {
  if (target.kind === 'in-process') return `${quote(target.module)} (in this process)`
  if (target.kind !== 'stdio') {
    const headers = Object.entries(target.headers).map(
      ([name, value]) => `${showName(name)}: ${showValue(name, value)}`,
    )
    return [makeVisible(hideInUrl(target.url)), ...headers].join(' · ')
  }
  const { command, args, env, cwd, envFile } = target
  const words = Object.entries(env).map(([name, value]) => `${showName(name)}=${showValue(name, value)}`)
  if (envFile !== undefined) words.unshift(`(environment from ${quote(envFile)})`)
  words.push(...[command, ...args].map(quote))
  if (cwd !== undefined) words.push(`(in ${quote(cwd)})`)
  return words.join(' ')
}

/** The entry without the secrets that somebody has written out in it, for pages and reports. Not to connect with. */
export function withoutSecrets(target: ServerTarget): ServerTarget {
  if (target.kind === 'stdio') return { ...target, env: hideAll(target.env) }
  if (target.kind === 'in-process') return { ...target, options: {} }
  return { ...target, url: hideInUrl(target.url), headers: hideAll(target.headers) }
}

/** Control, bidirectional, invisible and unassigned characters as their code points; everything else as it is. */
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
  return value === HIDDEN || isHidden(name, value) ? HIDDEN : quote(value)
}

function hideAll(values: { readonly [name: string]: string }): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isHidden(name, value) ? HIDDEN : value]),
  )
}

/** Values written out stay to themselves where the name or the look of them says that they are secret. */
function isHidden(name: string, value: string): boolean {
  if (!isSecretName(name) && !isSecretValue(value)) return false
  return !toPieces(value).every((piece) => (typeof piece === 'string' ? SCHEMES.test(piece) : isBare(piece)))
}

/** A default is a value written out. */
function isBare(variable: Variable): boolean {
  return variable.kind !== 'env' || !variable.fallback
}

/** Stands for a value that is nobody's business. */
export const HIDDEN = '‹hidden›'
const SCHEMES = /^(?:Bearer|Basic|token)?\s*$/i

/** Passwords in the address, and parameters that are named like secrets. */
function hideInUrl(url: string): string {
  return url
    .replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#@]*@/i, `$1${HIDDEN}@`)
    .replace(/([?&])([^=&#?]*)=([^&#]*)/g, (all, mark: string, name: string, value: string) => {
      const isReference = toPieces(value).every((piece) => typeof piece !== 'string' && isBare(piece))
      return isSecretName(name) && !isReference ? `${mark}${name}=${HIDDEN}` : all
    })
}
