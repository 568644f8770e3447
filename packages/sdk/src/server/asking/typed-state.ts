/** For servers whose handlers share something per request (a user, a connection): the same makers, with `ctx.state` typed. */

import type { AnySchema, InferOutput } from '../../schema/schema.ts'
import type { AskingContext, RequestContext } from '../context.ts'
import type { ToolReturn } from '../features/tool-result.ts'
import {
  type Arguments,
  type PromptDefinition,
  type PromptOptions,
  type PromptReturn,
  prompt,
  type ResourceDefinition,
  type ResourceOptions,
  type ResourceReturn,
  resource,
  type SchemaTool,
  type TemplateVariables,
  type ToolOptions,
  tool,
} from '../items/definition.ts'
import { createServer, type Server, type ServerDefinition, type ToolRecord } from '../server.ts'

/** The makers of a server whose handlers share a state. */
export interface TypedMakers<State> {
  tool<
    const I extends AnySchema | undefined = undefined,
    const O extends AnySchema | undefined = undefined,
    Returned extends ToolReturn<NoInfer<O>> | Promise<ToolReturn<NoInfer<O>>> = ToolReturn<O>,
  >(
    options: ToolOptions<I, O>,
    handler: (args: NoInfer<Arguments<I>>, ctx: AskingContext<State>) => Returned,
  ): SchemaTool<I, O, Returned>
  resource<const U extends string>(
    options: ResourceOptions<U>,
    handler: (variables: TemplateVariables<U>, ctx: AskingContext<State>) => ResourceReturn | Promise<ResourceReturn>,
  ): ResourceDefinition
  prompt<const I extends AnySchema | undefined = undefined>(
    options: PromptOptions<I>,
    handler: (
      args: I extends AnySchema ? InferOutput<I> : { [name: string]: string },
      ctx: AskingContext<State>,
    ) => PromptReturn | Promise<PromptReturn>,
  ): PromptDefinition
  createServer<const Tools extends ToolRecord = {}>(
    definition: ServerDefinition<Tools> & { readonly context: (ctx: RequestContext) => State | Promise<State> },
  ): Server<Tools>
}

/**
 * Gives `tool`, `resource`, `prompt` and `createServer` for handlers that share a state: what the server's `context`
 * function makes for each request is `ctx.state`, with its type.
 *
 * @example
 * ```ts
 * import { withState } from '@portico/sdk/server'
 *
 * const { createServer, tool } = withState<{ visits: Map<string, number> }>()
 * const visits = new Map<string, number>()
 * const count = tool({ description: 'How many have come' }, (_args, ctx) => `${ctx.state.visits.size} visitors`)
 * const counter = createServer({ name: 'counter', version: '1.0.0', context: () => ({ visits }), tools: { count } })
 * ```
 */
export function withState<State>(): TypedMakers<State> {
  return { tool, resource, prompt, createServer }
}
