/** What is a valid regular expression: the native parser decides. How it is matched is the business of `pattern.ts`. */

import { invalidDefinition } from '../../jsonrpc/errors.ts'

/** Needless escapes such as `\-`, which `u` refuses, are rewritten and let through. */
export function toNative(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    const relaxed = source.replace(/\\([\s\S])/g, (whole, char: string) =>
      NEEDLESS_ESCAPES.includes(char) ? `\\x${char.charCodeAt(0).toString(16)}` : whole,
    )
    try {
      return new RegExp(relaxed, 'u')
    } catch (cause) {
      throw invalidDefinition(`the pattern ${quotePattern(source)} is not a valid regular expression`, cause)
    }
  }
}

const NEEDLESS_ESCAPES = ' -_@#%&~`\'"!:;,=<>'

export function quotePattern(source: string): string {
  return JSON.stringify(source.length > 80 ? `${source.slice(0, 80)}...` : source)
}
