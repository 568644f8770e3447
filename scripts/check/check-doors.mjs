/**
 * Holds the exports map of each published library and its `doors/` folder to each other: every entry has its file, every file its entry,
 * and a door holds nothing but named re-exports, so that the map is the table of contents and a door its page.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportIfMain } from '../report.mjs'
import { readSyntax } from '../syntax.mjs'
import { isTestFile, listCode } from '../tree.mjs'

const PACKAGES = ['packages/sdk', 'packages/host', 'packages/servers']

/**
 * @param {string} root
 * @returns {string[]}
 */
export function checkDoors(root) {
  return PACKAGES.filter((folder) => existsSync(join(root, folder, 'package.json'))).flatMap((folder) =>
    checkPackage(root, folder),
  )
}

function checkPackage(root, folder) {
  const { exports: entries = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const problems = []
  const listed = new Set()
  for (const [entry, target] of Object.entries(entries)) {
    if (entry === './package.json') continue
    const source = target?.['portico-source']
    const stem = /^\.\/src\/(doors\/.+)\.ts$/.exec(source ?? '')?.[1]
    if (stem === undefined) {
      problems.push(`${folder}/package.json: "${entry}" has no portico-source under ./src/doors/`)
      continue
    }
    listed.add(`${folder}/src/${stem}.ts`)
    if (!existsSync(join(root, folder, source))) problems.push(`${folder}/package.json: "${entry}" has no ${source}`)
    for (const [condition, path] of [
      ['types', `./dist/${stem}.d.ts`],
      ['default', `./dist/${stem}.js`],
    ]) {
      if (target[condition] !== path)
        problems.push(`${folder}/package.json: "${entry}" lacks "${condition}": "${path}"`)
    }
    // The first matching condition wins, so what comes after "default" is never reached.
    if (Object.keys(target)[0] !== 'portico-source' || Object.keys(target).at(-1) !== 'default') {
      problems.push(`${folder}/package.json: "${entry}" must begin with "portico-source" and end with "default"`)
    }
  }
  for (const file of listCode(root, `${folder}/src/doors`)) {
    if (isTestFile(file)) continue
    if (!listed.has(file) && !/\/index\.ts$|\.d\.ts$/.test(file))
      problems.push(`${file} has no entry in the exports map`)
    const line = findOtherThanReexport(file, readFileSync(join(root, file), 'utf8'))
    if (line !== undefined) problems.push(`${file}:${line} is not a named re-export (export { … } from '…')`)
  }
  return problems
}

/** The line of the first statement that is no named re-export, or undefined. */
function findOtherThanReexport(file, source) {
  const { program, lineOf } = readSyntax(file, source)
  const other = program.body.find(({ type, source }) => type !== 'ExportNamedDeclaration' || source === null)
  return other === undefined ? undefined : lineOf(other.start)
}

reportIfMain(import.meta.url, 'doors', checkDoors)
