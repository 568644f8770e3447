/** Remembered answers as their file holds them. What is not understood is left out: forgetting a yes only asks again. */

import { EFFECT_KINDS } from '../policy/rule.ts'
import type { Grant } from './grant.ts'

/** Throws for what is no such file; it is then set aside. What passes is only taken from a text that processes share. */
export function fromGrantText(text: string, isShared: boolean): readonly Grant[] {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || !('grants' in value) || !Array.isArray(value.grants)) {
    throw new TypeError('no list of grants')
  }
  return value.grants.filter((grant): grant is Grant => isGrant(grant, isShared))
}

const OPTIONAL_TEXTS = ['item', 'argumentDigest', 'context', 'fingerprint', 'principal', 'workspace', 'by']

function isGrant(value: unknown, isShared: boolean): value is Grant {
  if (typeof value !== 'object' || value === null) return false
  const grant = value as { [name: string]: unknown }
  const { id, server, action, remember, kind, from, at } = grant
  if (typeof id !== 'string' || typeof server !== 'string' || typeof at !== 'number') return false
  if (action !== 'allow' && action !== 'deny') return false
  if (remember !== 'always' && remember !== 'workspace' && !(isShared && isPassing(grant))) return false
  // Without its workspace, it would hold everywhere.
  if (remember === 'workspace' && typeof grant.workspace !== 'string') return false
  if (!EFFECT_KINDS.some((known) => known === kind)) return false
  if (OPTIONAL_TEXTS.some((name) => grant[name] !== undefined && typeof grant[name] !== 'string')) return false
  if (grant.maxTokens !== undefined && typeof grant.maxTokens !== 'number') return false
  if (from !== undefined && !(Array.isArray(from) && from.every((one) => typeof one === 'string'))) return false
  return isNarrowEnough(grant)
}

/** For one time, and then for exactly that, or for a session that is named; not for ever. */
function isPassing({ remember, expiresAt, breadth, session }: { [name: string]: unknown }): boolean {
  if (typeof expiresAt !== 'number') return false
  return (remember === 'once' && breadth === 'arguments') || (remember === 'session' && typeof session === 'string')
}

/** A grant that has lost what narrows it down must not become a wide one. */
function isNarrowEnough({ breadth, item, argumentDigest, pattern, kind }: { [name: string]: unknown }): boolean {
  if (breadth === 'server') return true
  if (breadth === 'item') return typeof item === 'string' || kind === 'connect'
  if (breadth !== 'arguments' || typeof item !== 'string') return false
  if (typeof argumentDigest === 'string') return true
  return typeof pattern === 'object' && pattern !== null && !Array.isArray(pattern)
}
