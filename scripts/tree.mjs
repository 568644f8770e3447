/**
 * The repository as the checks see it: its code files and its packages, with paths relative to the root and written
 * with forward slashes on every system.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const CODE = /\.[cm]?[jt]sx?$/
const NOT_OURS = new Set(['node_modules', 'dist', 'out', 'coverage'])

/**
 * @param {string} root
 * @param {string} folder relative to the root; it need not exist
 * @returns {string[]} sorted paths of the code files in it
 */
export function listCode(root, folder) {
  if (!existsSync(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('.') || NOT_OURS.has(entry.name) ? [] : listCode(root, path)
    return CODE.test(entry.name) ? [path] : []
  })
}

export function isTestFile(path) {
  return /\.test\.[cm]?[jt]sx?$/.test(path) || /^packages\/[^/]+\/test\//.test(path)
}

/** Whether a door is for packages that are released together: in no reference, and for nobody else. */
export function isInternalDoor(path) {
  return /\/doors\/internal(?:-[a-z]+)?\.ts$/.test(path)
}

/**
 * @param {string} root
 * @returns {{ folder: string, name: string, doors: Map<string, string> }[]} doors by subpath, with the source of each
 */
export function readPackages(root) {
  if (!existsSync(join(root, 'packages'))) return []
  return readdirSync(join(root, 'packages'))
    .sort()
    .flatMap((folder) => {
      const manifest = join(root, 'packages', folder, 'package.json')
      if (!existsSync(manifest)) return []
      const { name, exports = {} } = JSON.parse(readFileSync(manifest, 'utf8'))
      return [{ folder, name, doors: new Map(Object.entries(exports).map(([key, to]) => [key, sourceOf(to)])) }]
    })
}

function sourceOf(target) {
  return typeof target === 'string' ? target : (target['portico-source'] ?? target.default ?? '')
}
