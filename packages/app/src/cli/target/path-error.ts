/** A file or folder where a server was expected: what it is, and what would do in its place. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '../../exit-codes.ts'

/** Undefined where nothing of that name is there. */
export function toPathError(word: string, cwd: string): CliError | undefined {
  const found = statSync(resolve(cwd, word), { throwIfNoEntry: false })
  if (found === undefined) return undefined
  const path = /^(?:\.{0,2}[\\/]|~)/.test(word) ? word : `./${word}`
  if (found.isDirectory()) {
    const remedy = `For the files in it: \`portico list files ${path}\`. For a server that is written there, name a file in it (${path}/server.ts), or the command that starts it, in quotes.`
    return new CliError('usage', `"${word}" is a folder, not a server`, remedy)
  }
  const remedy = `Give the command that starts it, in quotes ("python ${path}"), or a definition that ends in .ts, .mts, .js or .mjs.`
  return new CliError('usage', `"${word}" is a file that cannot be served as it is`, remedy)
}
