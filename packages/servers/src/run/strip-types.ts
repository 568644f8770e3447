/** Takes the types out of TypeScript: by Node's own means where it has them, by the same engine as a package where it has not. */

import * as nodeModule from 'node:module'

/** Throws what is wrong with the code, in words and with the line. */
export async function stripTypes(code: string): Promise<string> {
  const own: unknown = Reflect.get(nodeModule, 'stripTypeScriptTypes')
  if (typeof own === 'function') return String(own(code))
  const { default: swc } = await import('@swc/wasm-typescript')
  try {
    return swc.transformSync(code, { mode: 'strip-only' }).code
  } catch (error) {
    throw new SyntaxError(wordsOf(error), { cause: error })
  }
}

/** It throws plain objects. */
function wordsOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error)
  const line = 'startLine' in error ? ` (line ${error.startLine})` : ''
  return `${error.message}${line}`
}
