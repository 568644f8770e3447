/** Names that models confuse: near duplicates, names that say nothing, names that some models cannot be given. */

import type { Finding } from './lint-finding.ts'
import { mixedScripts } from './mixed-scripts.ts'

/** What model interfaces allow for a function's name. */
const LONGEST = 64

const GENERIC = new Set(
  'action api call command data do exec execute fetch function get handle handler helper info invoke list main op operation perform process query read request run search submit task test tool update use util write'.split(
    ' ',
  ),
)

export function lintNames(names: readonly string[]): Finding[] {
  return [...names.flatMap(lintName), ...lintPairs(names)]
}

function lintName(name: string): Finding[] {
  const where = `tools.${name}`
  const found: Finding[] = []
  if (name.length > LONGEST) {
    const message = `The name has ${name.length} characters; many models take at most ${LONGEST}, a host's prefix included`
    found.push({ rule: 'name-long', severity: 'error', where, message, fix: 'Shorten it.' })
  }
  if (name.includes('.')) {
    const message = 'Several models refuse names with dots'
    found.push({ rule: 'name-dots', severity: 'warning', where, message, fix: 'Use "_" or "-" in place of ".".' })
  }
  if (GENERIC.has(name.toLowerCase())) {
    const message = `"${name}" says nothing beside the tools of other servers`
    found.push({
      rule: 'name-generic',
      severity: 'warning',
      where,
      message,
      fix: `Add what it is about, as in "${name}_orders".`,
    })
  }
  return found
}

/** Letters of one alphabet in the words of another: people and models read the name that it imitates. */
export function lintScripts(noun: string, name: string): Finding[] {
  const mixed = mixedScripts(name)
  if (mixed === undefined) return []
  const codes = mixed.letters
    .slice(0, 8)
    .map((one) => `U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`)
  const message = `"${name}" has letters that look like others (${mixed.scripts.join(', ')}: ${codes.join(', ')})`
  const fix = 'Write each word of a name in one alphabet, plain letters for models.'
  return [{ rule: 'name-mixed-scripts', severity: 'error', where: `${noun}s.${name}`, message, fix }]
}

/** Beyond this many tools, comparing each with each takes too long to be worth it. */
const MOST_COMPARED = 2_000

function lintPairs(names: readonly string[]): Finding[] {
  const found: Finding[] = []
  const bare = names
    .slice(0, MOST_COMPARED)
    .map((name) => ({ name, plain: name.toLowerCase().replace(/[^a-z0-9]/g, '') }))
  for (const [index, one] of bare.entries()) {
    for (const other of bare.slice(index + 1)) {
      if (!areAlike(one.plain, other.plain)) continue
      found.push({
        rule: 'name-near-duplicate',
        severity: 'warning',
        where: `tools.${other.name}`,
        message: `"${other.name}" and "${one.name}" are easily taken for each other`,
        fix: 'Let the names differ in a whole word, or make them one tool with an argument.',
      })
    }
  }
  return found
}

/** Equal but for case and separators, a plural, or one letter in a longer name. */
function areAlike(a: string, b: string): boolean {
  if (a === b || `${a}s` === b || a === `${b}s`) return true
  // Names that are counted, as `step1` and `step2`, differ on purpose.
  if (a.replace(/\d+/g, '') === b.replace(/\d+/g, '')) return false
  return Math.min(a.length, b.length) >= 6 && isOneEditAway(a, b)
}

function isOneEditAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const [restA, restB] = [a.slice(at), b.slice(at)]
  return restA.slice(1) === restB.slice(1) || restA === restB.slice(1) || restA.slice(1) === restB
}
