/**
 * How another program starts this one: by the full paths of Node and of this script, because programs with a window have
 * another PATH than a shell. From npx's own cache, which is emptied now and then, by the package's name.
 */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

interface OwnCommand {
  readonly command: string
  readonly args: readonly string[]
}

export async function ownCommand(words: readonly string[]): Promise<OwnCommand> {
  // The same two folders up from the source and from what is built of it.
  const script = fileURLToPath(new URL('../../../bin.mjs', import.meta.url))
  if (/[\\/]_npx[\\/]/.test(script)) {
    const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
    // Our own package file, beside the folder that this is in.
    const { version } = JSON.parse(text) as { version: string }
    return { command: 'npx', args: ['-y', `portico@${version}`, ...words] }
  }
  return { command: process.execPath, args: [script, ...words] }
}
