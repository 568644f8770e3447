/**
 * What the `make-*.mjs` scripts have in common: each is a function from the repository's root to pages, importable by its
 * test, and a script that writes the pages when Node runs it directly.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryRoot } from '../report.mjs'

/**
 * @param {string} moduleUrl
 * @param {(root: string) => Map<string, string>} make
 */
export function writeIfMain(moduleUrl, make) {
  const script = process.argv[1]
  if (script === undefined || realpathSync(script) !== fileURLToPath(moduleUrl)) return
  writePages(make(repositoryRoot))
}

/** @param {Map<string, string>} pages */
export function writePages(pages) {
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(repositoryRoot, path)), { recursive: true })
    writeFileSync(join(repositoryRoot, path), text)
  }
}

/**
 * @param {Map<string, string>} pages
 * @returns {string[]} the paths of those that the repository does not have in this form
 */
export function stalePages(pages) {
  return [...pages]
    .filter(([path, text]) => {
      const file = join(repositoryRoot, path)
      return !existsSync(file) || readFileSync(file, 'utf8') !== text
    })
    .map(([path]) => path)
}
