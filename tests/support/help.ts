/** `--help` of a suite: what its program says of itself in its opening comment. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Prints the opening comment of the program at `url` and ends the process, if the command line asks for help. */
export function helpIfAsked(url: string): void {
  if (!process.argv.includes('--help') && !process.argv.includes('-h')) return
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(fileURLToPath(url), 'utf8'))?.[1] ?? ''
  console.log(comment.replace(/^\s*\* ?/gm, '').trim())
  process.exit(0)
}
