/**
 * A rule's `when`: an expression in Cedar's language, asked of an effect and its circumstances. The same engine and
 * entities as `cedar.ts` puts before a server; here it is one condition among those of a rule (`conditions.ts`).
 */

import { createHash } from 'node:crypto'
import { PorticoError } from '@portico/sdk/server'
import type { Circumstances, Effect, EffectKind } from '../effect.ts'
import { argumentsOf, believedTraits, itemOf } from '../facts.ts'
import { claimedRoles } from './cedar.ts'
import { cedarEngine, keepPolicies } from './cedar-engine.ts'
import { CedarEntities, type CedarEntity, principalEntity } from './cedar-entities.ts'
import { toCedarRecord } from './cedar-values.ts'

/** `unknown` when it cannot be evaluated: an attribute is missing, or the values are too many. */
type CedarCondition = (effect: Effect, circumstances: Circumstances) => boolean | 'unknown'

/** Throws for what is not one condition. */
export function createCedarCondition(text: string): CedarCondition {
  // By its words: rules that are read again do not fill the engine.
  const id = `portico-when-${createHash('sha256').update(text).digest('hex')}`
  // Under a name, the engine takes one policy and refuses a second that the text might bring along.
  const staticPolicies = { when: `permit (principal, action, resource) when { ${text}\n};` }
  const problems = keepPolicies(id, staticPolicies)
  if (problems.length > 0) {
    throw new PorticoError('invalid-definition', `is not a condition in Cedar's language: ${problems.join('; ')}`)
  }
  return (effect, circumstances) => {
    try {
      return evaluate(id, effect, circumstances)
    } catch {
      return 'unknown'
    }
  }
}

function evaluate(id: string, effect: Effect, circumstances: Circumstances): boolean | 'unknown' {
  const { principal, session, workspace, unattended, tainted, at } = circumstances
  const who = principalEntity(principal, principal === undefined ? [] : claimedRoles(principal))
  const what = resourceOf(effect)
  const answer = cedarEngine().statefulIsAuthorized({
    principal: who.uid,
    action: { type: 'Action', id: effect.kind },
    resource: what.uid,
    context: toCedarRecord({
      arguments: argumentsOf(effect),
      server: effect.server,
      item: itemOf(effect),
      from: effect.kind === 'flow' ? effect.from : [],
      session,
      workspace,
      unattended,
      tainted,
      hour: new Date(at).getHours(),
    }),
    preparsedPolicySetId: id,
    entities: NO_ENTITIES.with(who, what),
  })
  if (answer.type === 'failure' || answer.response.diagnostics.errors.length > 0) return 'unknown'
  return answer.response.decision === 'allow'
}

const NO_ENTITIES = new CedarEntities([])

const TYPES: { readonly [kind in EffectKind]: string } = {
  connect: 'Server',
  call: 'Tool',
  read: 'Resource',
  prompt: 'Prompt',
  complete: 'Prompt',
  sample: 'Server',
  elicit: 'Server',
  root: 'Root',
  flow: 'Tool',
}

/** The item in its server; tools with what may be believed of them. */
function resourceOf(effect: Effect): CedarEntity {
  const type = effect.kind === 'complete' && effect.of === 'read' ? 'Resource' : TYPES[effect.kind]
  if (type === 'Server') return { uid: { type, id: effect.server } }
  const attrs =
    effect.kind === 'call'
      ? { server: effect.server, trusted: effect.trusted, ...believedTraits(effect) }
      : { server: effect.server }
  return { uid: { type, id: itemOf(effect) }, attrs, parents: [{ type: 'Server', id: effect.server }] }
}
