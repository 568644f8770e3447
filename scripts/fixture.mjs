/** Temporary trees for the tests of the checks. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Writes the files, runs `use` on the folder that holds them, and removes it.
 * @template T
 * @param {Record<string, string>} files contents by path
 * @param {(root: string) => T} use
 * @returns {T}
 */
export function withTree(files, use) {
  const root = mkdtempSync(join(tmpdir(), 'portico-tree-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return use(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
