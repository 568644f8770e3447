/**
 * Who answers a question that a server asks in the middle of a call. The client does, once the rules allow it; roots that
 * the configuration names stand in for those of a client that has none. Each is an effect of its own for the guard.
 */

import { type AskingContext, CapabilityError, type JsonObject, RpcError } from '@portico/sdk/server'
import { HostError } from '../../errors.ts'
import type { Guard } from '../../guard/guard.ts'
import type { Circumstances, Effect } from '../../policy/effect.ts'
import { rootsOf } from '../connections/caller-connection.ts'
import type { Asked, RelayedCallOptions } from './relayed-call-options.ts'

interface AnswerOptions {
  readonly server: string
  readonly guard: Guard | undefined
  readonly circumstances: Circumstances
  /** Roots of the configuration: paths or file URIs. */
  readonly roots: readonly string[]
  readonly signal: () => AbortSignal
}

export function createAnswer(options: AnswerOptions): RelayedCallOptions['answer'] {
  const { guard, server, circumstances, roots } = options
  const passed = async (effect: Effect, work: () => Promise<JsonObject>): Promise<JsonObject> => {
    if (guard === undefined) return work()
    const permit = await guard
      .pass(effect, { ...circumstances, at: Date.now() }, { signal: options.signal() })
      .catch(toRefusal)
    // The effect is the asking; what the client makes of it is its own business.
    permit.finish('ok')
    return work()
  }
  return async (asked, ctx, ask) => {
    const { method, params, again } = asked
    if (method === 'roots/list') return shareRoots(options, await (hasRoots(ctx) ? ask() : configured(roots)))
    if (again) return ask()
    return passed(method === 'elicitation/create' ? toElicit(server, params) : toSample(server, asked), ask)
  }
}

function hasRoots({ client }: AskingContext): boolean {
  return typeof client.capabilities.roots === 'object' && client.capabilities.roots !== null
}

function configured(roots: readonly string[]): JsonObject {
  if (roots.length === 0) {
    const reason = 'The client has no roots, and none are configured'
    throw new RpcError(METHOD_NOT_FOUND, reason, undefined, new CapabilityError('roots'))
  }
  return { roots: rootsOf(roots) }
}

const METHOD_NOT_FOUND = -32601

/** Each root is shared by itself: those that the rules keep back are left out. */
async function shareRoots(
  { guard, server, circumstances, signal }: AnswerOptions,
  answer: JsonObject,
): Promise<JsonObject> {
  if (guard === undefined || !Array.isArray(answer.roots)) return answer
  const shared: unknown[] = []
  for (const root of answer.roots) {
    const uri = String((root as { uri?: unknown }).uri)
    try {
      const permit = await guard.pass(
        { kind: 'root', server, uri },
        { ...circumstances, at: Date.now() },
        { signal: signal() },
      )
      permit.finish('ok')
      shared.push(root)
    } catch (error) {
      if (!(error instanceof HostError && error.code === 'denied')) throw error
    }
  }
  return { ...answer, roots: shared }
}

function toElicit(server: string, params: JsonObject): Effect {
  if (params.mode !== 'url') return { kind: 'elicit', server, mode: 'form' }
  const url = typeof params.url === 'string' && URL.canParse(params.url) ? new URL(params.url) : undefined
  return { kind: 'elicit', server, mode: 'url', ...(url && { host: url.host }) }
}

function toSample(server: string, { params }: Asked): Effect {
  const { maxTokens, includeContext } = params
  return {
    kind: 'sample',
    server,
    background: false,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : 0,
    ...(typeof includeContext === 'string' && { includeContext }),
  }
}

/** The server that asked is told that it was refused, and by whom, but not by which rule. */
function toRefusal(error: unknown): never {
  if (error instanceof HostError && error.code === 'denied') {
    throw new RpcError(REJECTED, 'The gateway does not allow this question', undefined, error)
  }
  throw error
}

/** `User rejected` of the sampling page: the nearest there is. */
const REJECTED = -1
