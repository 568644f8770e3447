/**
 * Holds every installed package to a list of licences, and the lockfiles to naming no download address (so that an
 * install uses whichever registry its user has set). The root's lockfile says what is installed and why; each package's own
 * package.json says its licence. What is installed later has a lockfile in `tests` and one in `bench`, and nowhere else.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportIfMain } from '../report.mjs'

const ALLOWED = new Set(
  'MIT ISC BSD-2-Clause BSD-3-Clause Apache-2.0 0BSD Unlicense CC0-1.0 BlueOak-1.0.0 Python-2.0 PSF-2.0 WTFPL'.split(
    ' ',
  ),
)
const ALLOWED_FOR_DEVELOPMENT = new Set([...ALLOWED, 'MPL-2.0'])

/**
 * @param {string} root
 * @returns {string[]}
 */
export function checkLicenses(root) {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const problems = ['package-lock.json', 'tests/package-lock.json', 'bench/package-lock.json'].flatMap((file) =>
    findAddresses(root, file),
  )
  problems.push(...findOtherLockfiles(root, 'tests'))
  for (const [path, entry] of Object.entries(JSON.parse(text).packages ?? {})) {
    if (!path.includes('node_modules/') || entry.link) continue
    const license = installedLicense(join(root, path)) ?? entry.license
    const allowed = entry.dev ? ALLOWED_FOR_DEVELOPMENT : ALLOWED
    if (isAllowed(license, allowed)) continue
    problems.push(`${path} ${entry.version}: ${license ?? 'no licence given'}${entry.dev ? ' (development)' : ''}`)
  }
  return problems
}

function findAddresses(root, file) {
  if (!existsSync(join(root, file))) return []
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) =>
    /"resolved":\s*"http/.test(line) ? [`${file}:${index + 1} names a download address`] : [],
  )
}

function findOtherLockfiles(root, folder) {
  if (!existsSync(join(root, folder))) return []
  const folders = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders
    .map(({ name }) => `${folder}/${name}/package-lock.json`)
    .filter((file) => existsSync(join(root, file)))
    .map((file) => `${file}: the suites share ${folder}/package-lock.json`)
}

/**
 * Judges an SPDX expression: one allowed side of an OR is enough, an AND needs both.
 * @param {string | undefined} expression
 * @param {ReadonlySet<string>} allowed
 */
export function isAllowed(expression, allowed) {
  const tokens = expression?.match(/[()]|[^\s()]+/g) ?? []
  let at = 0
  const either = () => {
    let verdict = both()
    while (tokens[at] === 'OR') {
      at += 1
      verdict = both() || verdict
    }
    return verdict
  }
  const both = () => {
    let verdict = single()
    while (tokens[at] === 'AND') {
      at += 1
      verdict = single() && verdict
    }
    return verdict
  }
  const single = () => {
    const token = tokens[at++]
    if (token !== '(') return token !== undefined && allowed.has(token)
    const verdict = either()
    return tokens[at++] === ')' && verdict
  }
  // Leftover words (an exception after WITH, prose) mean that the expression was not understood.
  return either() && at === tokens.length
}

/** Optional packages for other platforms are in the lockfile without being installed: undefined. */
function installedLicense(folder) {
  let manifest
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
  const { license, licenses } = manifest
  if (typeof license === 'string') return license
  if (typeof license?.type === 'string') return license.type
  return Array.isArray(licenses) ? licenses.map((one) => one.type ?? one).join(' OR ') : undefined
}

reportIfMain(import.meta.url, 'licences', checkLicenses)
