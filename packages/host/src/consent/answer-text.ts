/** Answers out of JSON that came from a browser or another program: checked before they settle anything. */

import { isObject } from '@portico/sdk/internal'
import type { JsonObject } from '@portico/sdk/server'
import { toCanonicalJson } from '../audit/canonical.ts'
import type { Answer } from './question.ts'

const WORDS: { readonly [member: string]: readonly string[] } = {
  action: ['allow', 'deny', 'cancel'],
  remember: ['once', 'session', 'workspace', 'always'],
  breadth: ['server', 'item', 'arguments'],
}
const TEXTS = ['model', 'by']
const OBJECTS = ['pattern', 'content']
const MAX_TEXT = 500
const MAX_CHARS = 1_048_576

/**
 * Checks an answer that came as JSON, from a web page for instance. Returns the answer with its known members alone, or
 * a text that says what is wrong with it.
 *
 * @example
 * ```ts
 * import { readAnswer } from '@portico/host/consent'
 *
 * readAnswer({ action: 'allow', remember: 'session' }) // { action: 'allow', remember: 'session' }
 * readAnswer({ action: 'maybe' }) // 'action must be one of allow, deny, cancel'
 * ```
 */
export function readAnswer(value: unknown): Answer | string {
  if (!isObject(value)) return 'an answer must be an object'
  if (value.action === undefined) return 'an answer needs an action'
  for (const [member, words] of Object.entries(WORDS)) {
    const given = value[member]
    if (given !== undefined && !words.includes(String(given))) return `${member} must be one of ${words.join(', ')}`
  }
  for (const member of TEXTS) {
    const given = value[member]
    if (given !== undefined && (typeof given !== 'string' || given.length > MAX_TEXT)) return `${member} must be a text`
  }
  for (const member of OBJECTS) {
    const given = value[member]
    if (given === undefined) continue
    if (!isObject(given) || isTooLarge(given)) return `${member} must be an object of reasonable size`
  }
  const { evenIfTainted } = value
  if (evenIfTainted !== undefined && typeof evenIfTainted !== 'boolean') return 'evenIfTainted must be true or false'
  const members = ['action', 'remember', 'breadth', 'pattern', 'content', 'evenIfTainted', 'model', 'by']
  const known = members.filter((member) => value[member] !== undefined).map((member) => [member, value[member]])
  // Every member was looked at above, and only those are taken; a copy, as it is at this moment.
  return structuredClone(Object.fromEntries(known)) as Answer
}

function isTooLarge(value: JsonObject): boolean {
  try {
    return toCanonicalJson(value).length > MAX_CHARS
  } catch {
    return true
  }
}
