/** Passwords in addresses, wherever an address stands in an entry, and parameters of it that are named like secrets. */

import { replaceUserInfo } from '@portico/sdk/internal-text'
import { isSecretName, toPieces, type Variable } from './variables.ts'

/** Stands for a value that is nobody's business. */
export const HIDDEN = '‹hidden›'

/**
 * The text without the secrets of the addresses in it. In what a program may run (`isCode`), only what cannot be code is hidden:
 * nobody is to approve a command that hides behind a password (sec-93).
 */
export function hideInAddresses(text: string, isCode: boolean): string {
  const isPlain = (part: string): boolean => !isCode || !CODE.test(withoutReferences(part))
  const clean = replaceUserInfo(text, (userInfo) =>
    isWithoutSecret(userInfo) || !isPlain(userInfo) ? userInfo : HIDDEN,
  )
  if (!/:\/\//.test(clean)) return clean
  return clean.replace(/([?&])([^=&#?\s]*)=([^&#\s]*)/g, (all, mark: string, name: string, value: string) =>
    isSecretName(name) && !isReference(value) && isPlain(value) ? `${mark}${name}=${HIDDEN}` : all,
  )
}

/** A default is a value written out. */
export function isBare(variable: Variable): boolean {
  return variable.kind !== 'env' || !variable.fallback
}

/** What a shell or a program could take for more than text. */
const CODE = /[\s'"`;|&<>(){}$\\]/

/** A name before a reference to the password is no secret, nor is the one that everybody has at hosts of repositories. */
function isWithoutSecret(userInfo: string): boolean {
  const at = userInfo.search(/:(?=\$\{|$)/)
  const name = at === -1 ? '' : userInfo.slice(0, at)
  const password = userInfo.slice(at + 1)
  return userInfo === 'git' || (!withoutReferences(name).includes(':') && isReference(password))
}

function isReference(value: string): boolean {
  return toPieces(value).every((piece) => typeof piece !== 'string' && isBare(piece))
}

function withoutReferences(value: string): string {
  return toPieces(value)
    .filter((piece) => typeof piece === 'string')
    .join('')
}
