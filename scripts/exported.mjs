/**
 * Names that a module exports although no other imports them. Doors do not count: what they export is for others. A module
 * that is loaded as a whole (`import *`, `import()`, `export *`) has all its names taken.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readImports } from './imports.mjs'
import { readSyntax } from './syntax.mjs'
import { isTestFile, listCode, readPackages } from './tree.mjs'

const READERS = ['packages', 'tests', 'bench', 'examples', 'scripts']

/** Modules whose names are asked for by somebody who imports nothing: hooks of Node's loader, what an editor activates. */
const ASKED_BY_NAME = new Set(['packages/app/src/typescript-hooks.ts', 'packages/vscode/src/extension.ts'])

/**
 * @param {string} root
 * @returns {{ file: string, line: number, name: string }[]}
 */
export function findUntaken(root) {
  const taken = new Map()
  const doors = new Map()
  for (const { folder, name, doors: entries } of readPackages(root)) {
    for (const [entry, source] of entries)
      doors.set(`${name}${entry.slice(1)}`, posix.join('packages', folder, source ?? ''))
  }
  for (const file of READERS.flatMap((folder) => listCode(root, folder))) {
    for (const { specifier, names } of readImports(readFileSync(join(root, file), 'utf8'), file)) {
      const path = specifier.startsWith('.')
        ? sourceOf(root, posix.join(posix.dirname(file), specifier))
        : doors.get(specifier)
      if (path === undefined) continue
      const all = taken.get(path)
      taken.set(path, names === undefined || all === null ? null : new Set([...(all ?? []), ...names]))
    }
  }
  return readPackages(root).flatMap(({ folder }) =>
    listCode(root, `packages/${folder}/src`)
      .filter((file) => !isTestFile(file) && !file.includes('/src/doors/') && !ASKED_BY_NAME.has(file))
      .filter((file) => taken.get(file) !== null)
      .flatMap((file) => exportsOf(root, file).filter(({ name }) => !taken.get(file)?.has(name))),
  )
}

/** Every name that a module exports, with its line; what it passes on from others as a whole is not its own. */
function exportsOf(root, file) {
  const { program, lineOf } = readSyntax(file, readFileSync(join(root, file), 'utf8'))
  const found = new Map()
  for (const node of program.body) {
    if (node.type === 'ExportDefaultDeclaration') found.set('default', node)
    if (node.type !== 'ExportNamedDeclaration') continue
    for (const name of declaredNames(node.declaration)) found.set(name, node)
    for (const { exported } of node.specifiers) found.set(exported.name ?? exported.value, node)
  }
  return [...found].map(([name, node]) => ({ file, line: lineOf(node.start), name }))
}

function declaredNames(declaration) {
  if (declaration === null) return []
  if (declaration.type !== 'VariableDeclaration') return [declaration.id.name]
  return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
}

/** The file that a relative import means, by the names that a compiler would try. */
function sourceOf(root, path) {
  const stem = path.replace(/\.([cm]?)js(x?)$/, '')
  const names = [path, `${stem}.ts`, `${stem}.tsx`, `${path}.ts`, `${path}.tsx`]
  return names.find((name) => /\.[cm]?[jt]sx?$/.test(name) && existsSync(join(root, name)))
}
