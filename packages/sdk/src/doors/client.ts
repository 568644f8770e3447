/** `@portico/sdk/client`: connect to any server, and the types that go with it. */

export type { AskContext } from '../client/asking/ask-context.ts'
export { declarationsFor } from '../client/asking/declarations.ts'
export type { Client } from '../client/client.ts'
export type { ServerDescription } from '../client/connection.ts'
export type { ChangeNotice, ClientEvent, ClientEvents, Warning } from '../client/events.ts'
export { type CacheEntry, createMemoryCache, type ResultCache } from '../client/features/cache.ts'
export type {
  ElicitAnswer,
  ElicitationHandlers,
  FormHandler,
  UrlContext,
  UrlHandler,
} from '../client/features/elicitation.ts'
export type { RootsSource } from '../client/features/roots.ts'
export type { SamplingHandler, SamplingOptions } from '../client/features/sampling.ts'
export type { LoadedSkill, Skills } from '../client/features/skills.ts'
export type { Subscription } from '../client/features/subscriptions.ts'
export type { ProcessView } from '../client/link.ts'
export type { Negotiated } from '../client/negotiated.ts'
export {
  CLIENT_LIMITS,
  CLIENT_TIMEOUTS,
  type ClientLimits,
  type ClientOptions,
  type ClientTimeouts,
  type RequestOptions,
} from '../client/options.ts'
export type { Progress } from '../client/peer.ts'
export type { RequestRelay } from '../client/relay.ts'
export type { TaskPage, ToolRun } from '../client/tasks/run.ts'
export type { CallTool, ToolCaller, ToolTypes } from '../client/tool-caller.ts'
export type { WaitOptions } from '../client/with-deadline.ts'
export { connect } from '../connect/connect.ts'
export type { HeaderSource } from '../connect/http-link.ts'
export type { CommandTarget, ConnectOptions, Target } from '../connect/options.ts'
export type { Channel } from '../jsonrpc/channel.ts'
export { type Delivery, ERROR_CODES, type ErrorCode, PorticoError, RpcError } from '../jsonrpc/errors.ts'
export type { JsonObject } from '../jsonrpc/message.ts'
export type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts'
export type { CompleteParams, CompleteResult } from '../protocol/completion.ts'
export type { ContentBlock, Implementation, ResourceContents } from '../protocol/content.ts'
export type { ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams } from '../protocol/elicitation.ts'
export type { LogLevel, LogMessage } from '../protocol/logging.ts'
export type { GetPromptResult, Prompt } from '../protocol/prompts.ts'
export type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.ts'
export { PROTOCOL_VERSIONS, type ProtocolVersion } from '../protocol/revision.ts'
export type { Root } from '../protocol/roots.ts'
export type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.ts'
export type { SkillEntry } from '../protocol/skills/skills.ts'
export type { Change, SubscriptionFilter } from '../protocol/subscriptions.ts'
export type { TaskStatus, TaskView } from '../protocol/tasks.ts'
export type { CallToolResult, Tool } from '../protocol/tools.ts'
