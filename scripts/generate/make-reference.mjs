/**
 * Writes the API reference, a page in `docs/reference/` for every door of each library: `node scripts/generate/make-reference.mjs`. Names,
 * signatures and comments are read from the sources that the doors lead to. The test beside this file fails while a page is out of date.
 */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isInternalDoor, readPackages } from '../tree.mjs'
import { readDeclaration } from './declarations.mjs'
import { writeIfMain } from './make.mjs'

const PACKAGES = [
  { folder: 'packages/sdk', out: '' },
  { folder: 'packages/host', out: 'host/' },
  { folder: 'packages/servers', out: 'servers/' },
]

/**
 * @param {string} root
 * @returns {Map<string, string>} the text of each page by its path
 */
export function makeReference(root) {
  const doors = PACKAGES.flatMap((one) => doorsOf(root, one))
  const pages = doors.map((door) => [`docs/reference/${door.page}`, toPage(root, door)])
  return new Map([...pages, ['docs/reference/README.md', toIndex(root, doors)]])
}

/**
 * What every door exports, each name with its declaration.
 * @param {string} root
 */
export function readDoors(root) {
  return PACKAGES.flatMap((one) =>
    doorsOf(root, one).map((door) => ({ ...door, folder: one.folder, items: itemsOf(root, door.file) })),
  )
}

/** Each door of a package: what it is imported as, where its source is, and where its page goes. */
function doorsOf(root, { folder, out }) {
  const { name, exports: entries } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return Object.entries(entries)
    .map(([entry, target]) => {
      const file = posix.join(folder, target['portico-source'])
      return { title: `${name}${entry.slice(1)}`, file, page: `${out}${posix.basename(file, '.ts')}.md` }
    })
    .filter(({ file }) => !isInternalDoor(file))
}

function toPage(root, { title, file }) {
  const source = readFileSync(join(root, file), 'utf8')
  const items = itemsOf(root, file)
  const sections = SECTIONS.flatMap(({ heading, kinds }) => {
    const own = items.filter(({ kind }) => kinds.includes(kind)).sort((a, b) => (a.name < b.name ? -1 : 1))
    return own.length === 0 ? [] : [`## ${heading}`, ...own.map(toEntry)]
  })
  const made = `<!-- Made by scripts/generate/make-reference.mjs from ${file}. Change the comments there. -->`
  return `${[`# ${title}`, made, introductionOf(source), ...sections].join('\n\n')}\n`
}

function itemsOf(root, file) {
  return readExports(readFileSync(join(root, file), 'utf8')).map(({ name, from }) =>
    findDeclaration(root, sourceOf(root, file, from), name),
  )
}

const SECTIONS = [
  { heading: 'Functions', kinds: ['function'] },
  { heading: 'Classes', kinds: ['class'] },
  { heading: 'Values', kinds: ['const'] },
  { heading: 'Types', kinds: ['interface', 'type'] },
]

function toEntry({ name, comment, code }) {
  return [
    `### ${name}`,
    ...(comment === '' ? [] : [comment.replace(/^@example\s*$/gm, 'Example:\n')]),
    `\`\`\`typescript\n${code}\n\`\`\``,
  ].join('\n\n')
}

function toIndex(root, doors) {
  const rows = doors.map(({ title, file, page }) => {
    const text = introductionOf(readFileSync(join(root, file), 'utf8'))
    return `| [${title}](${page}) | ${text.replace(/^`[^`]*`: /, '').replaceAll('|', '\\|')} |`
  })
  return `# Reference

<!-- Made by scripts/generate/make-reference.mjs. -->

| door | what it is for |
|---|---|
${rows.join('\n')}

- [Error codes](errors.md)
- [Security requirements and their tests](security.md)
`
}

/** The paragraph that a module opens with, on one line. */
function introductionOf(source) {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? ''
  return comment.replace(/\s*\n\s*\* ?/g, ' ').trim()
}

/** The names that a module of re-exports passes on, with where each comes from. */
function readExports(source) {
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((one) => one.trim().replace(/^type /, ''))
      .filter((one) => one !== '')
      .map((one) => ({ name: one.split(' as ').at(-1), from })),
  )
}

/** Follows re-exports to the declaration. */
function findDeclaration(root, file, name) {
  const source = readFileSync(join(root, file), 'utf8')
  const found = readDeclaration(source, name)
  if (found !== undefined) return found
  const passed = readExports(source).find((one) => one.name === name)
  if (passed === undefined) throw new Error(`${file} has no declaration of ${name} that can be read`)
  return findDeclaration(root, sourceOf(root, file, passed.from), name)
}

/** The file that a module passes names on from: beside it, or the door of another package. */
function sourceOf(root, file, from) {
  if (from.startsWith('.')) return posix.join(posix.dirname(file), from)
  const owner = readPackages(root).find(({ name }) => from.startsWith(`${name}/`))
  return posix.join('packages', owner.folder, owner.doors.get(`.${from.slice(owner.name.length)}`))
}

writeIfMain(import.meta.url, makeReference)
