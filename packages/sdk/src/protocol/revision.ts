/**
 * What a protocol revision is to the rest of the code: its name and era, the methods it has, what it can say, and how
 * the neutral model is written to its wire. One module per revision in `revisions/` fills this in. Code elsewhere asks a
 * revision for its traits. It looks at version strings only where there is no revision yet: to tell the era of a request
 * that names an unknown one, and for defaults of the specification that are bound to one date.
 */

import type { RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { ServerCapabilities } from './capabilities.ts'
import type { CompleteResult } from './completion.ts'
import type { Implementation } from './content.ts'
import type { GetPromptResult, Prompt } from './prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from './resources.ts'
import type { CallToolResult, Tool } from './tools.ts'

/** Every revision of the protocol that is spoken, oldest first. */
export const PROTOCOL_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

/** A revision of the protocol, by its date. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number]

/** Legacy revisions open with `initialize`; modern ones carry everything in each request. */
export type Era = 'legacy' | 'modern'

/** Facts that differ between revisions and that code above this layer asks about. */
export interface RevisionTraits {
  /** An error whose request id could not be read leaves the id out, where it was null before. */
  readonly errorsWithoutId: boolean
  /** Event streams over HTTP open with an event that primes resumption, and the server may close them to be polled. */
  readonly primedStreams: boolean
  /** JSON-RPC batches are received. */
  readonly batches: boolean
  /** Where invalid tool arguments go: a JSON-RPC error, or a tool result the model can read. */
  readonly argumentErrors: 'rpc' | 'result'
  /** `notifications/progress` may carry `message`. */
  readonly progressMessage: boolean
  readonly structuredContent: boolean
  readonly elicitation: boolean
  readonly urlElicitation: boolean
  /** Forms have titled, multiple and preset choices; answers to poorer forms pass through `liftElicitResult`. */
  readonly richForms: boolean
  readonly samplingTools: boolean
  /** `completions` is a capability (2024-11-05 has the method without one: ask and see). */
  readonly completionsCapability: boolean
  /** `completion/complete` may carry `context`. */
  readonly completionContext: boolean
  /** Results of lists and reads carry `ttlMs` and `cacheScope`. */
  readonly cacheHints: boolean
}

export interface Revision {
  readonly version: ProtocolVersion
  readonly era: Era
  readonly traits: RevisionTraits

  /** Methods by direction and kind; a method that the revision does not have is absent. */
  readonly clientRequests: ReadonlySet<string>
  readonly clientNotifications: ReadonlySet<string>
  readonly serverRequests: ReadonlySet<string>
  readonly serverNotifications: ReadonlySet<string>

  // What a server says; what it asks is in `revisions/questions.ts`, what a client says in `revisions/client-messages.ts`. Each returns its argument unchanged when nothing in it is too new.
  writeImplementation(info: Implementation): JsonObject
  writeServerCapabilities(capabilities: ServerCapabilities): JsonObject
  writeTool(tool: Tool): JsonObject
  writeResource(resource: Resource): JsonObject
  writeResourceTemplate(template: ResourceTemplate): JsonObject
  writePrompt(prompt: Prompt): JsonObject
  writeCallToolResult(result: CallToolResult): JsonObject
  writeReadResourceResult(result: ReadResourceResult): JsonObject
  writeGetPromptResult(result: GetPromptResult): JsonObject
  writeCompleteResult(result: CompleteResult): JsonObject

  /** The error for a resource that does not exist: `-32002` once, `-32602` with `data.uri` now. */
  resourceNotFound(uri: string): RpcError
  /** The HTTP status that carries a JSON-RPC error as the only answer to a POST. */
  httpStatus(errorCode: number): number
}
