/** `server.use` and `server.on`: functions around a method that may alter it, and observers that only watch. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { CompleteResult } from '../../protocol/completion.ts'
import type { GetPromptResult, ListPromptsResult } from '../../protocol/prompts.ts'
import type { ListResourcesResult, ListResourceTemplatesResult, ReadResourceResult } from '../../protocol/resources.ts'
import type { CallToolResult, ListToolsResult } from '../../protocol/tools.ts'
import type { RequestContext } from '../context.ts'
import type { ServerCall } from './call.ts'
import { DEFERRED, type ServerMethod } from './method.ts'

/** The results that middleware sees, in the neutral model, whatever the client's revision. */
interface MethodResults {
  'tools/list': ListToolsResult
  'tools/call': CallToolResult
  'resources/list': ListResourcesResult
  'resources/templates/list': ListResourceTemplatesResult
  'resources/read': ReadResourceResult
  'prompts/list': ListPromptsResult
  'prompts/get': GetPromptResult
  'completion/complete': CompleteResult
}

export type MethodName = keyof MethodResults

interface MethodRequest {
  readonly params: JsonObject
  readonly ctx: RequestContext
}

/**
 * A function around a method. `next()` gives the method's own result; the function may work before or after it, or
 * answer without calling it. Params that are given to `next` take the place of the request's.
 */
export type Middleware<M extends MethodName> = (
  request: MethodRequest,
  next: (params?: JsonObject) => Promise<MethodResults[M]>,
) => Promise<MethodResults[M]> | MethodResults[M]

/** What an observer is told of a request after it was answered. */
export interface Observation {
  readonly method: string
  readonly params: JsonObject
  readonly ctx: RequestContext
  readonly durationMs: number
  /** What went wrong, when the answer was a JSON-RPC error. */
  readonly error: unknown
}

/** Watches a method without altering it. */
export type Observer = (observation: Observation) => void

/** Wraps a method's run in middleware, the first registered outermost. */
export function applyMiddleware(
  method: ServerMethod,
  chain: readonly Middleware<MethodName>[],
  context: (call: ServerCall) => RequestContext,
): ServerMethod {
  if (chain.length === 0) return method
  const run = (call: ServerCall): unknown => {
    const ctx = context(call)
    const step = (index: number): Promise<never> => {
      const middleware = chain[index]
      // Each method's results pass only through middleware that was registered for that method.
      if (middleware === undefined)
        return (method.holds ? held(method, call) : Promise.resolve(method.run(call))) as never
      const next = (params?: JsonObject): Promise<never> => {
        if (params !== undefined) call.params = params
        return step(index + 1)
      }
      return Promise.resolve(middleware({ params: call.params, ctx }, next) as never)
    }
    return step(0)
  }
  const { ready: _ready, ...rest } = method
  return { ...rest, run }
}

/** Middleware sees a request that stays open as one that takes long: its result comes when it ends. */
function held(method: ServerMethod, call: ServerCall): Promise<unknown> {
  return new Promise((resolve, reject) => {
    call.deferred = { end: (_call, result) => resolve(result) }
    Promise.resolve(method.run(call)).then((result) => {
      if (result !== DEFERRED) resolve(result)
    }, reject)
  })
}
