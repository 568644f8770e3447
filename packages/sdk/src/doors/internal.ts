/**
 * `@portico/sdk/internal`: what the packages that are released together with this one need of it, and nobody else. Nothing
 * here is a promise: any release may change it.
 */

export { dialJudged, judgedAddresses, type Resolver } from '../auth/network/judged-dial.ts'
export type { Connector } from '../client/connection.ts'
export { type HttpFault, type Link, type LinkEvents, type Outgoing, requestParams } from '../client/link.ts'
export { toCanonicalJson } from '../jsonrpc/canonical-json.ts'
export { METHOD_NOT_FOUND } from '../jsonrpc/errors.ts'
export { classify, isObject } from '../jsonrpc/message.ts'
export { requireName } from '../jsonrpc/nearest.ts'
export { URL_ELICITATION_REQUIRED } from '../protocol/errors.ts'
export {
  collectParamHeaders,
  PARAM_HEADER_PREFIX,
  type ParamHeader,
  paramHeaders,
} from '../protocol/headers/headers.ts'
export { isLogLevel, passesLevel } from '../protocol/logging.ts'
export { compareItems, ITEM_KEYS, type ItemKind, meaningOf } from '../protocol/meaning.ts'
export { META_LOG_LEVEL } from '../protocol/meta.ts'
export {
  CORE_TASKS,
  type CreatedTask,
  EXTENSION_TASKS,
  generationOf,
  META_RELATED_TASK,
  readCreated,
  readTask,
  TASKS_EXTENSION,
  type TaskGeneration,
  writeCreated,
  writeDetailedTask,
  writeTask,
} from '../protocol/tasks.ts'
export { parseTemplate, type UriTemplate } from '../schema/uri-template/uri-template.ts'
export { createWildcard, type Wildcard } from '../schema/wildcard.ts'
export { cannotListen } from '../serve/socket/socket-listener.ts'
export { divertStrayOutput } from '../serve/stray-output.ts'
export { onCancel, type TaskStanding, taskStandingOf } from '../server/context.ts'
export { endpointOf } from '../server/server.ts'
export type { Endpoint } from '../session/endpoint.ts'
