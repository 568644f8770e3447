/**
 * The judgement of a path before any disk is touched, for the servers that take one: spellings that could mean another place
 * than they seem to are refused outright, on every platform where that costs nothing. What passes is resolved next.
 */

import { sep } from 'node:path'

type PathStyle = 'posix' | 'win32'

const LONGEST = 4_096

/** Why a path is refused, or undefined when its text is fine. */
export function refusedPath(text: string, style: PathStyle): string | undefined {
  if (text === '') return 'is empty'
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`
  if (text.includes('\0')) return 'has a NUL character'
  if (/^[\\/]{2}/.test(text)) return 'names a network share or a device'
  if (/^[a-z][a-z0-9+.-]+:[\\/]/i.test(text)) return 'is a URI; give a plain path'
  if (/^~(?:[\\/]|$)/.test(text)) return 'begins with "~", which means nothing here'
  const encoded = decodeEscapes(text)
  if (climbs(text) || climbs(encoded) || climbs(text.normalize('NFKC'))) return 'has a ".." in it'
  if (encoded.includes('\0') || countSeparators(encoded) !== countSeparators(text)) {
    return 'has percent-encoded separators; write it plainly'
  }
  return style === 'win32' ? refusedOnWindows(text) : undefined
}

/** Whether a path is a directory or something in it; both are resolved already. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

/** Why a new file or folder may not be called so: such names would look like something else to people. */
export function refusedName(name: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(name)) {
    return 'has invisible or control characters'
  }
  return name.length > 255 ? 'is longer than 255 characters' : undefined
}

function climbs(text: string): boolean {
  return text.split(/[\\/]/).some((segment) => segment === '..')
}

function countSeparators(text: string): number {
  return text.split(/[\\/]/).length
}

/** Undoes percent-encoding as often as a careless reader down the line might. */
function decodeEscapes(text: string): string {
  let decoded = text
  for (let round = 0; round < 3 && decoded.includes('%'); round++) {
    decoded = decoded.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
  return decoded
}

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[.\s:]|$)/i

function refusedOnWindows(text: string): string | undefined {
  const hasDrive = /^[a-z]:/i.test(text)
  if (hasDrive && !/^[a-z]:[\\/]/i.test(text)) return 'is relative to a drive'
  const rest = hasDrive ? text.slice(2) : text
  if (rest.includes(':')) return 'names an alternate data stream'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[<>"|?*\u0000-\u001f]/.test(rest)) return 'has characters that Windows does not allow'
  for (const segment of rest.split(/[\\/]/)) {
    if (DEVICE.test(segment)) return 'names a device'
    if (/[. ]$/.test(segment) && segment !== '.') return 'has a name that ends in a dot or a space'
  }
  return undefined
}
