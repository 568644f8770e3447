/** A remembered answer: what it says, what it is about, and how long it holds. Which effects it covers is decided here. */

import type { JsonObject } from '@portico/sdk/server'
import { toCanonicalJson, toDigest } from '../audit/canonical.ts'
import type { Circumstances, Effect, EffectKind } from '../policy/effect.ts'
import { argumentsOf, believedTraits, itemOf } from '../policy/facts.ts'
import type { Breadth, Remember } from './question.ts'

/**
 * An answer of the person that is remembered: what it allows or denies, on which server, and for how long. `at` and
 * `expiresAt` are in milliseconds since 1970.
 */
export interface Grant {
  readonly id: string
  readonly action: 'allow' | 'deny'
  readonly remember: Remember
  readonly kind: EffectKind
  readonly server: string
  readonly breadth: Breadth
  /** Absent for the whole server. */
  readonly item?: string
  /** Values that must be equal, others are free. */
  readonly pattern?: JsonObject
  /** All arguments must be equal to those whose digest this is. */
  readonly argumentDigest?: string
  /** For a flow: the servers whose data may (or must not) go. */
  readonly from?: readonly string[]
  /** For a flow: covers values in the arguments themselves, and not only a conversation that has seen them. */
  readonly inArguments?: boolean
  /** For sampling: how much of the conversation may go along; none where it is absent. */
  readonly context?: string
  /** For sampling: at most so many tokens in an answer. */
  readonly maxTokens?: number
  /** The definition that was approved; another one needs a new answer. */
  readonly fingerprint?: string
  readonly principal?: string
  readonly session?: string
  readonly workspace?: string
  readonly evenIfTainted?: boolean
  /** Where it holds for one time, or for a caller's session at gateways that share their state. */
  readonly expiresAt?: number
  readonly at: number
  /** The surface it was given on. */
  readonly by?: string
}

/** What is known of the definition that an effect uses. */
export interface KnownDefinition {
  readonly fingerprint?: string
  /** When its server first listed it. */
  readonly since?: number
}

/** Whether the answer holds for this effect, here and now. */
export function isCovering(
  grant: Grant,
  effect: Effect,
  about: Circumstances,
  { fingerprint, since }: KnownDefinition = {},
): boolean {
  if (grant.kind !== effect.kind || grant.server !== effect.server) return false
  if (grant.principal !== about.principal?.id) return false
  if (grant.session !== undefined && grant.session !== about.session) return false
  if (grant.workspace !== undefined && grant.workspace !== about.workspace) return false
  if (grant.expiresAt !== undefined && grant.expiresAt <= about.at) return false
  const current = effect.kind === 'connect' ? effect.fingerprint : fingerprint
  // A permission ends with what it was given for; a refusal stays.
  if (grant.action === 'allow' && grant.fingerprint !== undefined && grant.fingerprint !== current) return false
  // What may run is never approved for whatever it comes to.
  if (grant.action === 'allow' && grant.kind === 'connect' && grant.fingerprint === undefined) return false
  if (grant.item !== undefined && grant.item !== itemOf(effect)) return false
  if (grant.action === 'allow' && isLater(grant, effect, since)) return false
  if (effect.kind === 'flow' && !coversFlow(grant, effect)) return false
  if (effect.kind === 'sample' && !coversSampling(grant, effect)) return false
  return coversArguments(grant, effect)
}

/** Whoever allows all of a server has seen what there was: a tool that came later, and may do harm, is not in it. */
function isLater({ breadth, at }: Grant, effect: Effect, since = 0): boolean {
  return breadth === 'server' && effect.kind === 'call' && since > at && believedTraits(effect).destructive
}

function coversFlow(grant: Grant, effect: Effect & { readonly kind: 'flow' }): boolean {
  const known = new Set(grant.from)
  if (grant.action === 'deny') return effect.from.some((server) => known.has(server))
  if (effect.inArguments === true && grant.inArguments !== true) return false
  return effect.from.every((server) => known.has(server))
}

/** Whose words go to the model is never part of a yes that was given without them, however wide it is. */
function coversSampling(grant: Grant, effect: Effect & { readonly kind: 'sample' }): boolean {
  if (grant.action === 'deny') return true
  if (reach(effect.includeContext) > reach(grant.context)) return false
  return grant.breadth === 'server' || grant.maxTokens === undefined || effect.maxTokens <= grant.maxTokens
}

/** What nobody has heard of is taken for the most. */
function reach(context = 'none'): number {
  const at = CONTEXTS.indexOf(context)
  return at === -1 ? CONTEXTS.length : at
}

const CONTEXTS = ['none', 'thisServer', 'allServers']

function coversArguments({ breadth, pattern, argumentDigest }: Grant, effect: Effect): boolean {
  if (breadth !== 'arguments') return true
  const given = argumentsOf(effect)
  if (pattern === undefined) return argumentDigest === toDigest(given)
  return Object.entries(pattern).every(
    ([name, value]) => Object.hasOwn(given, name) && toCanonicalJson(given[name]) === toCanonicalJson(value),
  )
}

const DOING: { readonly [kind in EffectKind]: string } = {
  connect: 'connect',
  call: 'call',
  read: 'read',
  prompt: 'use the prompt',
  complete: 'complete words for',
  sample: 'use the model, asked by',
  elicit: 'ask, by',
  root: 'share',
  flow: 'send on data, to',
}

/**
 * Writes a grant in one line for people, for lists of what is remembered.
 *
 * @example
 * ```ts
 * import { createGrants, describeGrant } from '@portico/host/consent'
 *
 * const grants = await createGrants({ file: '/home/ann/.portico/grants.json' })
 * const lines = grants.list().map(describeGrant) // ['May call "push" of "git", always']
 * ```
 */
export function describeGrant(grant: Grant): string {
  const { action, kind, server, item, breadth, pattern, from, context, remember } = grant
  const what = item === undefined || kind === 'connect' ? `"${server}"` : `"${item}" of "${server}"`
  const details = [
    context === undefined || context === 'none' ? undefined : CONTEXT_WORDS[context],
    from === undefined ? undefined : `from ${from.map((one) => `"${one}"`).join(', ')}`,
    breadth === 'server' && kind !== 'connect' ? 'whatever it is' : undefined,
    breadth !== 'arguments' ? undefined : pattern ? `with ${toCanonicalJson(pattern)}` : 'with the same arguments',
    TIMES[remember],
  ]
  const verb = action === 'allow' ? 'May' : 'Must not'
  return `${verb} ${DOING[kind]} ${what}, ${details.filter((one) => one !== undefined).join(', ')}`
}

const CONTEXT_WORDS: { readonly [context: string]: string } = {
  thisServer: 'with what it has said before',
  allServers: 'with what all servers have said',
}

const TIMES: { readonly [remember in Remember]: string } = {
  once: 'one time',
  session: 'in this session',
  workspace: 'in this workspace',
  always: 'always',
}
