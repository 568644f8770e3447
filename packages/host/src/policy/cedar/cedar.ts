/**
 * Cedar behind the SDK's one question: policies are parsed once, each decision is a call into WebAssembly with the
 * principal, the item and the moment as entities. Denied unless permitted, and denied whenever something goes wrong.
 */

import type { Authorizer, Decision, PolicyAction, PolicyContext, PolicyItem } from '@portico/sdk/bearer'
import { PorticoError, type Principal } from '@portico/sdk/server'
import { cedarEngine, keepPolicies } from './cedar-engine.ts'
import { CedarEntities, type CedarEntity, type CedarUid, itemEntity, principalEntity } from './cedar-entities.ts'
import { toCedarRecord } from './cedar-values.ts'

/** Options of `createCedarPolicy`: the policies, and what they may refer to. */
export interface CedarPolicyOptions {
  /** Policies in Cedar's own language, or several by name; the names are what decisions give as reasons. */
  readonly policies: string | { readonly [name: string]: string }
  /** A schema in Cedar's own language: policies that do not fit it are refused at start, requests when they come. */
  readonly schema?: string
  /** Entities that policies refer to: groups, departments, facts about users and items. */
  readonly entities?: readonly CedarEntity[]
  /** The roles of a principal, which become its parents: `principal in Role::"editor"`. The claim `roles` by default. */
  readonly roles?: (principal: Principal) => readonly string[]
}

let sets = 0

/**
 * Makes an authorizer that decides by policies in the language Cedar, for `enforcePolicy` and `visibleBy`. Nothing is
 * allowed that no policy permits. Throws when policies, schema or entities are not valid.
 *
 * @example
 * ```ts
 * import { createCedarPolicy } from '@portico/host/policy'
 *
 * const policy = createCedarPolicy({ policies: 'permit (principal in Role::"teller", action, resource);' })
 * ```
 */
export function createCedarPolicy(options: CedarPolicyOptions): Authorizer {
  const cedar = cedarEngine()
  const id = `portico-${++sets}`
  const { policies: staticPolicies, schema, entities = [], roles = claimedRoles } = options
  const problems = keepPolicies(id, staticPolicies)
  if (problems.length > 0) throw invalid('policies', problems.join('; '))
  if (schema !== undefined) {
    accept(cedar.preparseSchema(id, schema), 'schema')
    const checked = cedar.validate({ schema, policies: { staticPolicies } })
    accept(checked, 'policies')
    const [first] = checked.type === 'success' ? checked.validationErrors : []
    if (first !== undefined) throw invalid('policies', `${first.policyId}: ${first.error.message}`)
  }
  const book = new CedarEntities(entities)
  accept(cedar.checkParseEntities({ entities: book.all(), ...(schema !== undefined && { schema }) }), 'entities')

  function decide(principal: Principal | undefined, action: PolicyAction, item: PolicyItem, context: PolicyContext) {
    const who = principalEntity(principal, principal === undefined ? [] : roles(principal))
    const what = itemEntity(item)
    return cedar.statefulIsAuthorized({
      principal: who.uid,
      action: ACTIONS[action],
      resource: what.uid,
      context: toCedarRecord(context),
      preparsedPolicySetId: id,
      ...(schema !== undefined && { preparsedSchemaName: id, validateRequest: true }),
      entities: book.with(who, what),
    })
  }

  return {
    authorize(principal, action, item, context = {}): Decision {
      try {
        const answer = decide(principal, action, item, context)
        if (answer.type === 'failure') return denied(answer.errors.map(({ message }) => message))
        const { decision, diagnostics } = answer.response
        // A policy that fails counts as absent for Cedar; a prohibition that fails must not become permission.
        if (diagnostics.errors.length > 0) return denied(diagnostics.errors.map(({ error }) => error.message))
        return { allowed: decision === 'allow', reasons: diagnostics.reason }
      } catch (error) {
        return denied([error instanceof Error ? error.message : 'The decision failed'])
      }
    },
  }
}

const ACTIONS: { readonly [action in PolicyAction]: CedarUid } = {
  see: { type: 'Action', id: 'see' },
  call: { type: 'Action', id: 'call' },
  read: { type: 'Action', id: 'read' },
  get: { type: 'Action', id: 'get' },
  complete: { type: 'Action', id: 'complete' },
  subscribe: { type: 'Action', id: 'subscribe' },
}

function denied(errors: readonly string[]): Decision {
  return { allowed: false, reasons: [], errors }
}

export function claimedRoles({ claims }: Principal): readonly string[] {
  const roles = claims?.roles
  return Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : []
}

type Answer =
  | { readonly type: 'success' }
  | { readonly type: 'failure'; readonly errors: readonly { message: string }[] }

function accept(answer: Answer, what: string): void {
  if (answer.type === 'failure') throw invalid(what, answer.errors.map(({ message }) => message).join('; '))
}

function invalid(what: string, reason: string): PorticoError {
  return new PorticoError('invalid-definition', `The ${what} are not valid: ${reason}`)
}
