/** `@portico/sdk/relay`: what a gateway is made of: a server whose answers come from elsewhere. */

export { METHOD_NOT_FOUND } from '../jsonrpc/errors.ts'
export type { ClientCapabilities } from '../protocol/capabilities.ts'
export type { CompleteResult } from '../protocol/completion.ts'
export { URL_ELICITATION_REQUIRED } from '../protocol/errors.ts'
export { collectParamHeaders, PARAM_HEADER_PREFIX, type ParamHeader, paramHeaders } from '../protocol/headers.ts'
export { isLogLevel, passesLevel } from '../protocol/logging.ts'
export { META_LOG_LEVEL } from '../protocol/meta.ts'
export { parseTemplate, type UriTemplate } from '../schema/uri-template.ts'
export type { QuestionMethod } from '../server/asking.ts'
export type { SessionView } from '../server/context.ts'
export { type DefinedRelay, defineRelay, type Relay, type RelayLists } from '../server/relay.ts'
