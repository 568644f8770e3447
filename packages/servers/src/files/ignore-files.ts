/** What `.gitignore` and `.ignore` files say, folder by folder. The walker in `walk.ts` asks for each entry it meets. */

import { join, relative, sep } from 'node:path'
import createIgnore, { type Ignore } from 'ignore'
import { withFile } from './anchor.ts'
import { readBytes } from './read.ts'

const NAMES = ['.gitignore', '.ignore']
const MAX_BYTES = 256 * 1024
const MAX_LINES = 5_000

/** The rules of one folder; the folders above it come first in a list of them. */
export interface IgnoreRules {
  readonly base: string
  readonly rules: Ignore
}

/** Reads the ignore files of a folder, if it has any. */
export async function readIgnoreFiles(folder: string, names: ReadonlySet<string>): Promise<IgnoreRules | undefined> {
  const lines: string[] = []
  for (const name of NAMES) if (names.has(name)) lines.push(...(await readLines(join(folder, name))))
  return lines.length === 0 ? undefined : { base: folder, rules: createIgnore().add(lines) }
}

/** The deepest folder that has an opinion decides. */
export function isIgnored(chain: readonly IgnoreRules[], path: string, isDirectory: boolean): boolean {
  for (let at = chain.length - 1; at >= 0; at--) {
    const { base, rules } = chain[at]!
    const inside = relative(base, path).replaceAll(sep, '/')
    const { ignored, unignored } = rules.test(isDirectory ? `${inside}/` : inside)
    if (ignored) return true
    if (unignored) return false
  }
  return false
}

async function readLines(path: string): Promise<string[]> {
  try {
    const bytes = await withFile(path, (file) => readBytes(file, 0, MAX_BYTES))
    return bytes.toString('utf8').split(/\r?\n/).slice(0, MAX_LINES).filter(isCheap)
  } catch {
    // An ignore file that cannot be read ignores nothing.
    return []
  }
}

/**
 * The library turns each line into a regular expression, whose time grows with the power of its wildcards; whoever wrote
 * the folder wrote the line. Lines with more wildcards than people need are left out.
 */
function isCheap(line: string): boolean {
  return line.length <= 256 && line.split('*').length <= 9 && line.split('/').every((part) => starsOf(part) <= 3)
}

function starsOf(part: string): number {
  return part === '**' ? 1 : part.split('*').length - 1
}
