/**
 * `npm run house`: the size and order of the code as a table, package by package, and whether each figure is within what
 * is held. `--check` prints only what is not (part of `npm run check`); `--list` names the files behind the figures. The
 * way of a call is shown as well; what holds its length are tests (`budget-calls.test.ts`, `gateway-calls.test.ts`).
 */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseArgs } from 'node:util'
import { checkLayers } from './check/check-layers.mjs'
import { runNode, sourceArguments, toolPath } from './child.mjs'
import { findUntaken } from './exported.mjs'
import { readDoors } from './generate/make-reference.mjs'
import { isMain, repositoryRoot } from './report.mjs'
import { shapeOf } from './shape.mjs'
import { isTestFile, listCode, readPackages } from './tree.mjs'

/** What the design asks of a file, a function, a class, a folder. The linter counts blank lines and comments otherwise. */
const FOLDER_FILES = 20
const FILE_LINES = 400
const FUNCTION_LINES = 60
const CLASS_LINES = 300
const PARAMETERS = 4

/**
 * How many of each there may be, in all packages together. Where more than none is allowed, the number is what there was
 * when it was written down: it only ever goes down.
 */
const HELD = {
  'import circles and wrong directions': 0,
  'source folders above 20 files': 0,
  'files above 400 lines': 0,
  'functions above 60 lines': 0,
  'classes above 300 lines': 0,
  'functions with more than 4 parameters': 0,
  'exported names without a comment': 0,
  'exported functions without an example': 0,
  // Types that the declarations of other modules have to name.
  'exported names that nobody imports': 5,
}

/**
 * @param {string} root
 * @returns {{ rows: Map<string, Map<string, string[]>>, lines: Map<string, { source: number, tests: number }> }}
 */
export function measureHouse(root) {
  const rows = new Map(Object.keys(HELD).map((name) => [name, new Map()]))
  const note = (row, owner, what) => {
    const found = rows.get(row)
    found.set(owner, [...(found.get(owner) ?? []), what])
  }
  for (const problem of checkLayers(root)) note('import circles and wrong directions', ownerOf(problem), problem)
  const lines = new Map()
  for (const { folder } of readPackages(root)) lines.set(folder, measurePackage(root, folder, note))
  for (const { folder, title, items } of readDoors(root)) {
    const owner = posix.basename(folder)
    for (const { name, kind, comment } of items) {
      if (comment === '') note('exported names without a comment', owner, `${title} ${name}`)
      if (kind === 'function' && !comment.includes('@example'))
        note('exported functions without an example', owner, `${title} ${name}`)
    }
  }
  for (const { file, line, name } of findUntaken(root))
    note('exported names that nobody imports', ownerOf(file), `${file}:${line} ${name}`)
  return { rows, lines }
}

function measurePackage(root, folder, note) {
  const files = listCode(root, `packages/${folder}/src`)
  const count = { source: 0, tests: 0 }
  const folders = new Map()
  for (const file of files) {
    const { lines, functions, classes } = shapeOf(file, readFileSync(posix.join(root, file), 'utf8'))
    if (isTestFile(file)) {
      count.tests += lines
      continue
    }
    count.source += lines
    folders.set(posix.dirname(file), (folders.get(posix.dirname(file)) ?? 0) + 1)
    if (lines > FILE_LINES) note('files above 400 lines', folder, `${file}: ${lines}`)
    for (const one of functions) {
      const place = `${file}:${one.line} ${one.name}`
      if (one.lines > FUNCTION_LINES) note('functions above 60 lines', folder, `${place}: ${one.lines}`)
      if (one.parameters > PARAMETERS)
        note('functions with more than 4 parameters', folder, `${place}: ${one.parameters}`)
    }
    for (const one of classes)
      if (one.lines > CLASS_LINES)
        note('classes above 300 lines', folder, `${file}:${one.line} ${one.name}: ${one.lines}`)
  }
  for (const [path, files] of folders)
    if (files > FOLDER_FILES) note('source folders above 20 files', folder, `${path}: ${files}`)
  for (const file of listCode(root, `packages/${folder}/test`))
    count.tests += readFileSync(posix.join(root, file), 'utf8').split('\n').length
  return count
}

function ownerOf(problem) {
  return /^packages\/([^/]+)/.exec(problem)?.[1] ?? 'outside'
}

function toTable({ rows, lines }) {
  const owners = [...lines.keys(), 'outside']
  const head = ['', ...owners, 'all', 'held at']
  const body = [...rows].map(([row, found]) => {
    const counts = owners.map((owner) => found.get(owner)?.length ?? 0)
    return [row, ...counts, counts.reduce((a, b) => a + b, 0), HELD[row]]
  })
  const sum = (of) => [...lines.values()].reduce((all, one) => all + of(one), 0)
  const sizes = [
    ['lines of source', ...owners.map((owner) => lines.get(owner)?.source ?? ''), sum((one) => one.source), ''],
    ['lines of tests', ...owners.map((owner) => lines.get(owner)?.tests ?? ''), sum((one) => one.tests), ''],
  ]
  return [head, ...sizes, ...body].map((cells) =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(40) : String(cell).padStart(8))).join(' '),
  )
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, list: { type: 'boolean' } } })
  const house = measureHouse(repositoryRoot)
  if (!values.check) console.log(toTable(house).join('\n'))
  if (values.list) {
    for (const [row, found] of house.rows) for (const what of [...found.values()].flat()) console.log(`${row}: ${what}`)
  }
  if (!values.check) {
    await runNode(sourceArguments(toolPath('../tests/support/call-paths-table.ts'), values.list ? ['--list'] : []))
  }
  const over = [...house.rows].filter(([row, found]) => [...found.values()].flat().length > HELD[row])
  for (const [row, found] of over) {
    const all = [...found.values()].flat()
    console.error(`${row}: ${all.length}, held at ${HELD[row]}\n  ${all.join('\n  ')}`)
  }
  if (values.check && over.length === 0) console.log('house: in order')
  return over.length === 0 ? 0 : 1
}

if (isMain(import.meta.url)) process.exitCode = await main()
