/** `@portico/sdk/server`: what a person who writes a server needs. */

export { createPrincipal, type Principal } from '../auth/principal.ts'
export { ERROR_CODES, type ErrorCode, PorticoError, RpcError } from '../jsonrpc/errors.ts'
export type { JsonObject } from '../jsonrpc/message.ts'
export type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts'
export {
  type Annotations,
  type AudioContent,
  audio,
  type ContentBlock,
  type EmbeddedResource,
  embed,
  type Icon,
  type ImageContent,
  type Implementation,
  image,
  link,
  type ResourceContents,
  type ResourceLink,
  type TextContent,
  text,
} from '../protocol/content.ts'
export type { LogLevel } from '../protocol/logging.ts'
export type { GetPromptResult, PromptArgument, PromptMessage } from '../protocol/prompts.ts'
export type { ReadResourceResult } from '../protocol/resources.ts'
export { PROTOCOL_VERSIONS, type ProtocolVersion } from '../protocol/revision.ts'
export type { Root } from '../protocol/roots.ts'
export { type CreateMessageResult, type SamplingMessage, textOf } from '../protocol/sampling.ts'
export type { CallToolResult, ToolAnnotations } from '../protocol/tools.ts'
export type { AnySchema, InferInput, InferOutput } from '../schema/schema.ts'
export { type TypedMakers, withState } from '../server/asking/typed-state.ts'
export type { SpillOptions } from '../server/budget/budget-store.ts'
export { type CallRate, type CallRates, limitCalls } from '../server/call/call-rate.ts'
export type { Middleware, Observation, Observer } from '../server/call/middleware.ts'
export type { Catalogue } from '../server/check/catalogue.ts'
export type { AskingContext, RequestContext } from '../server/context.ts'
export type { ElicitAnswer, ElicitQuestion, FormQuestion, UrlQuestion } from '../server/features/elicitation.ts'
export type { Extension, ExtensionMethod } from '../server/features/extension.ts'
export type { SampleQuestion } from '../server/features/sampling.ts'
export { type FullResult, type ResultWith, result, ToolError } from '../server/features/tool-result.ts'
export { requireScopes, ScopeError } from '../server/items/access.ts'
export {
  type Access,
  type CacheHint,
  type Completer,
  type Completions,
  type PromptDefinition,
  type PromptOptions,
  prompt,
  type ResourceDefinition,
  type ResourceListing,
  type ResourceOptions,
  resource,
  type SchemaTool,
  type ToolDefinition,
  type ToolOptions,
  tool,
} from '../server/items/definition.ts'
export type { SubscriptionWatcher } from '../server/items/subscribers.ts'
export type { Mounted } from '../server/mount.ts'
export type { ServerOptions } from '../server/options.ts'
export { createServer, Server, type ServerDefinition, type ToolRecord } from '../server/server.ts'
export type { SlowTimes } from '../server/slow.ts'
export type { SlowHook, SlowReport } from '../server/slow-report.ts'
export { CapabilityError } from '../session/conversation.ts'
export { MemoryRoundStore, type RoundLimits, type RoundStore } from '../session/kept-rounds/round-store.ts'
export { Suspended } from '../session/suspended.ts'
