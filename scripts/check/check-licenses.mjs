/**
 * Holds every installed package to a list of licences, and the lockfile to naming no download address (so that an
 * install uses whichever registry its user has set). The lockfile says what is installed and why; each package's own
 * package.json says its licence.
 */
import { readFileSync } from 'node:fs'
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
  const problems = text.split('\n').flatMap((line, index) => {
    return /"resolved":\s*"http/.test(line) ? [`package-lock.json:${index + 1} names a download address`] : []
  })
  for (const [path, entry] of Object.entries(JSON.parse(text).packages ?? {})) {
    if (!path.includes('node_modules/') || entry.link) continue
    const license = installedLicense(join(root, path)) ?? entry.license
    const allowed = entry.dev ? ALLOWED_FOR_DEVELOPMENT : ALLOWED
    if (isAllowed(license, allowed)) continue
    problems.push(`${path} ${entry.version}: ${license ?? 'no licence given'}${entry.dev ? ' (development)' : ''}`)
  }
  return problems
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
