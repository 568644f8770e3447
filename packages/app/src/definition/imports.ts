/**
 * Which of our own doors a definition and the files beside it import, found before any of them runs: `load.ts` gives
 * them ours, so that a definition works in a folder where nothing is installed, and never meets a second copy.
 */

import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

interface DefinitionImports {
  /** `@portico/sdk/server` and the like. */
  readonly doors: ReadonlySet<string>
  /** The definition and what it imports from beside it. */
  readonly files: ReadonlySet<string>
}

const MAX_FILES = 500
/** The module's name in `from '…'`, `import '…'` and `import('…')`. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*(?:\(\s*)?(['"])([^'"\n]+)\1/g
const ENDINGS = ['', '.ts', '.js', '.mts', '.mjs', '/index.ts', '/index.js']

export async function importsOf(file: string): Promise<DefinitionImports> {
  const doors = new Set<string>()
  const files = new Set<string>()
  const waiting = [file]
  for (let next = waiting.pop(); next !== undefined && files.size < MAX_FILES; next = waiting.pop()) {
    const found = await readFirst(next)
    if (found === undefined || files.has(found.file)) continue
    files.add(found.file)
    for (const [, , name = ''] of found.text.matchAll(SPECIFIER)) {
      if (/^@portico\/(sdk|host|servers)(\/[\w-]+)?$/.test(name)) doors.add(name)
      else if (name.startsWith('.')) waiting.push(resolve(dirname(found.file), name))
    }
  }
  return { doors, files }
}

async function readFirst(path: string): Promise<{ readonly file: string; readonly text: string } | undefined> {
  // Compiled names stand for their sources: `./tools.js` may be `./tools.ts`.
  const stem = path.replace(/\.([cm]?)js$/, '.$1ts')
  for (const file of [...ENDINGS.map((ending) => `${path}${ending}`), stem]) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text !== undefined) return { file, text }
  }
  return undefined
}
