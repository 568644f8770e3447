/**
 * An authorizer put on a server: `see` decides what lists show and what exists for a principal; `call`, `read`, `get`
 * and `complete` are asked again with the arguments and the moment. What is refused answers like what does not exist.
 */

import type { Authorizer, Decision, PolicyAction, PolicyContext, PolicyItem } from '@portico/sdk/bearer'
import { type Principal, RpcError, type Server } from '@portico/sdk/server'
import { callListener, catchStrayPromise } from '../config/call-listener.ts'

/** Options of `enforcePolicy`. */
export interface ServerPolicyOptions {
  /** Facts about the moment, put into `context.environment`: time of day, network, load. */
  readonly environment?: () => PolicyContext
  /** Told of every decision about a use, for the audit trail. */
  readonly onDecision?: (about: Judged) => void
}

/** A use of a server that was decided about: who wanted to do what with which item, and the decision. */
export interface Judged {
  readonly principal: Principal | undefined
  readonly action: PolicyAction
  readonly item: PolicyItem
  readonly decision: Decision
}

/**
 * Makes the `visible` option of `createServer` from an authorizer: every item for which it denies `see` is hidden.
 *
 * @example
 * ```ts
 * import { createCedarPolicy, visibleBy } from '@portico/host/policy'
 * import { createServer } from '@portico/sdk/server'
 *
 * const policy = createCedarPolicy({ policies: 'permit (principal in Role::"teller", action, resource);' })
 * const bank = createServer({ name: 'bank', version: '1.0.0', visible: visibleBy(policy) })
 * ```
 */
export function visibleBy(authorizer: Authorizer): (principal: Principal | undefined, item: PolicyItem) => boolean {
  // What may be seen depends on the principal alone, so one answer for each will do while the principal lives.
  const known = new WeakMap<object, Map<string, boolean>>()
  return (principal, item) => {
    const key = principal ?? ANONYMOUS
    const answers = known.get(key) ?? new Map<string, boolean>()
    known.set(key, answers)
    const name = `${item.kind} ${item.name}`
    let answer = answers.get(name)
    if (answer === undefined) {
      answer = isAllowed(authorizer.authorize(principal, 'see', item))
      answers.set(name, answer)
    }
    return answer
  }
}

/** An authorizer answers at once; what is no answer, a promise for instance, allows nothing. */
function isAllowed(decision: Decision): boolean {
  return !catchStrayPromise(decision) && decision?.allowed === true
}

/** Rules that forbid must not miss their facts. */
function factsOf(environment: PolicyContext): PolicyContext {
  if (!catchStrayPromise(environment) && typeof environment === 'object' && environment !== null) return environment
  throw new TypeError('environment must return an object, without async')
}

/**
 * Has an authorizer asked before every use of a server's tools, resources and prompts, with the arguments as
 * `context.arguments` and facts about the moment as `context.environment`. What is refused answers like what does not
 * exist.
 *
 * @example
 * ```ts
 * import { createCedarPolicy, enforcePolicy } from '@portico/host/policy'
 * import { createServer } from '@portico/sdk/server'
 *
 * const policy = createCedarPolicy({ policies: 'permit (principal in Role::"teller", action, resource);' })
 * enforcePolicy(createServer({ name: 'bank', version: '1.0.0' }), policy)
 * ```
 */
export function enforcePolicy(server: Server, authorizer: Authorizer, options: ServerPolicyOptions = {}): void {
  const { environment = () => ({}), onDecision } = options

  function allows(principal: Principal | undefined, action: PolicyAction, named: PolicyItem, args: unknown): boolean {
    const item = server.describe(named.kind, named.name) ?? named
    const context = {
      environment: factsOf(environment()),
      arguments: typeof args === 'object' && args !== null ? args : {},
    }
    const decision = authorizer.authorize(principal, action, item, context)
    callListener(onDecision, { principal, action, item, decision })
    return isAllowed(decision)
  }

  server.use('tools/call', ({ params, ctx }, next) => {
    const name = String(params.name)
    if (!allows(ctx.principal, 'call', { kind: 'tool', name }, params.arguments)) throw unknown('tool', name)
    return next()
  })
  server.use('prompts/get', ({ params, ctx }, next) => {
    const name = String(params.name)
    if (!allows(ctx.principal, 'get', { kind: 'prompt', name }, params.arguments)) throw unknown('prompt', name)
    return next()
  })
  server.use('resources/read', ({ params, ctx }, next) => {
    const name = String(params.uri)
    if (allows(ctx.principal, 'read', { kind: 'resource', name }, {})) return next()
    // The server's own error for a URI that nothing has, in the words of the request's revision, under its own URI.
    return next({ ...params, uri: NOWHERE }).catch((error) => {
      throw error instanceof RpcError ? renamed(error, name) : error
    })
  })
  server.use('completion/complete', ({ params, ctx }, next) => {
    const item = toReference(params.ref)
    if (item !== undefined && !allows(ctx.principal, 'complete', item, {})) {
      throw new RpcError(INVALID_PARAMS, 'Invalid params: ref names no prompt or resource template here', {
        parameter: 'ref',
        reason: 'names no prompt or resource template here',
      })
    }
    return next()
  })
}

const ANONYMOUS = {}
const INVALID_PARAMS = -32602

/** A URI that no server has: its scheme is ours. */
const NOWHERE = 'portico-nowhere:'

/** The words in which the server itself says that it has no such item. */
function unknown(noun: 'tool' | 'prompt', name: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Unknown ${noun}: ${name}`, {
    parameter: 'name',
    reason: `names no ${noun} here`,
  })
}

function renamed({ rpcCode, message, data }: RpcError, uri: string): RpcError {
  const told = typeof data === 'object' && data !== null && 'uri' in data ? { ...data, uri } : data
  return new RpcError(
    rpcCode,
    message.replaceAll(NOWHERE, () => uri),
    told,
  )
}

function toReference(ref: unknown): PolicyItem | undefined {
  if (typeof ref !== 'object' || ref === null) return undefined
  const { type, name, uri } = ref as { type?: unknown; name?: unknown; uri?: unknown }
  if (type === 'ref/prompt') return { kind: 'prompt', name: String(name) }
  return type === 'ref/resource' ? { kind: 'template', name: String(uri) } : undefined
}
