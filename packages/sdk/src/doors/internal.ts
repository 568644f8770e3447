/**
 * `@portico/sdk/internal`: what the packages that are released together with this one need of it, and nobody else. Nothing
 * here is a promise: any release may change it.
 */

export { dialJudged, judgedAddresses, type Resolver } from '../auth/network/judged-dial.ts'
export type { Connector } from '../client/connection.ts'
export { type HttpFault, type Link, type LinkEvents, type Outgoing, requestParams } from '../client/link.ts'
export { likelyAddress, USUAL_PATHS } from '../connect/usual-path.ts'
export { Receiving } from '../framing/receiving.ts'
export { toCanonicalJson } from '../jsonrpc/canonical-json.ts'
export type { Outlet } from '../jsonrpc/channel.ts'
export { INTERNAL_ERROR, METHOD_NOT_FOUND } from '../jsonrpc/errors.ts'
export type { RequestId, RpcRequest } from '../jsonrpc/message.ts'
export { classify, isObject } from '../jsonrpc/message.ts'
export { requireName } from '../jsonrpc/nearest.ts'
export { type OwnLack, ownLackOf } from '../jsonrpc/own-lack.ts'
export { timeLimit, wait } from '../jsonrpc/time-limit.ts'
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
  META_TASK_HELPER,
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
export { refuse } from '../serve/rules/http-refusal.ts'
export type { ServeLimits } from '../serve/rules/limits.ts'
export { STATE_AWAY } from '../serve/rules/refusals.ts'
export { cannotListen } from '../serve/socket/socket-listener.ts'
export { divertStrayOutput } from '../serve/stray-output.ts'
export type { Body as HttpBody, HttpRequest } from '../serve/streamable/http-request.ts'
export type { SessionRecord, StreamRecord } from '../serve/streamable/session-sharing.ts'
export type {
  HttpSharedEndpoint as SharedEndpoint,
  HttpSharedSessions as SharedSessions,
  HttpSharing as SessionSharing,
} from '../serve/streamable/streamable-options.ts'
export { HttpSession, type SessionSettings } from '../serve/streamable/streamable-session.ts'
export { onCancel, type TaskStanding, taskStandingOf } from '../server/context.ts'
export type { ServerChange } from '../server/items/changes.ts'
export { changesOf, endpointOf, sharesTasks } from '../server/server.ts'
export type { Endpoint } from '../session/endpoint.ts'
export type { PeerCertificate, RequestHead } from '../session/exchange.ts'
export { type DamagedRow, damagedRowIn, getOrDamaged } from '../state/damaged-row.ts'
export { FairShares, isWithinShare, type ShareOwner, type Turn } from '../state/fair-shares.ts'
export { awayIn, createFaultPrinter } from '../state/fault-printer.ts'
export { spawnPiped } from '../transport/child-process/spawn-piped.ts'
export type { Reply, ReplyWatcher, StreamEvents, StreamWriter } from '../transport/http-reply.ts'
