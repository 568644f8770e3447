/**
 * Holds every message that a server emits against the official schema of the connection's revision: `wire.ts` passes all
 * it receives through here. Where the schemas are not present (see `schema-oracle.ts`) nothing is judged.
 */

import { isObject, type JsonObject } from '../src/jsonrpc/message.ts'
import type { ProtocolVersion } from '../src/protocol/revision.ts'
import { hasDefinition, unknownMembers, validateAgainst } from './schema-oracle.ts'

/** The faults of one received message; `method` is what a response answers, when that is known. */
export function judge(version: ProtocolVersion, message: unknown, method: string | undefined): string[] {
  if (!isObject(message)) return ['a message that is no object']
  // Most messages of a run are alike but for their ids, and judging is the dearest part of it.
  const key = `${version} ${method} ${JSON.stringify(typeof message.id === 'number' ? { ...message, id: 0 } : message)}`
  if (passed.has(key)) return []
  const faults = 'method' in message ? judgeCall(version, message) : judgeResponse(version, message, method)
  if (faults.length === 0) passed.add(key)
  return faults.map(
    (fault) => `${version} ${String(message.method ?? method)}: ${fault} in ${JSON.stringify(message).slice(0, 2000)}`,
  )
}

const passed = new Set<string>()

const RESULTS: { readonly [method: string]: string } = {
  initialize: 'InitializeResult',
  'server/discover': 'DiscoverResult',
  ping: 'EmptyResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'resources/subscribe': 'EmptyResult',
  'resources/unsubscribe': 'EmptyResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'logging/setLevel': 'EmptyResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
}

/** Tasks of 2025-11-25; those of later revisions are an extension, whose words are its own. */
const TASK_RESULTS: { readonly [method: string]: string } = {
  'tasks/get': 'GetTaskResult',
  'tasks/list': 'ListTasksResult',
  'tasks/cancel': 'CancelTaskResult',
}

const CALLS: { readonly [method: string]: string } = {
  ping: 'PingRequest',
  'sampling/createMessage': 'CreateMessageRequest',
  'roots/list': 'ListRootsRequest',
  'elicitation/create': 'ElicitRequest',
  'notifications/cancelled': 'CancelledNotification',
  'notifications/progress': 'ProgressNotification',
  'notifications/message': 'LoggingMessageNotification',
  'notifications/tools/list_changed': 'ToolListChangedNotification',
  'notifications/resources/list_changed': 'ResourceListChangedNotification',
  'notifications/resources/updated': 'ResourceUpdatedNotification',
  'notifications/prompts/list_changed': 'PromptListChangedNotification',
  'notifications/elicitation/complete': 'ElicitationCompleteNotification',
  'notifications/tasks/status': 'TaskStatusNotification',
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledgedNotification',
}

/** Errors that a revision's schema describes by code. */
const ERRORS: { readonly [code: number]: string } = {
  [-32020]: 'HeaderMismatchError',
  [-32021]: 'MissingRequiredClientCapabilityError',
  [-32022]: 'UnsupportedProtocolVersionError',
  [-32042]: 'URLElicitationRequiredError',
}

/** Results are open by their own words, so what is too new on their first level is listed here. */
const TOO_NEW: { readonly [version in ProtocolVersion]: readonly string[] } = {
  '2024-11-05': ['resultType', 'ttlMs', 'cacheScope', 'structuredContent'],
  '2025-03-26': ['resultType', 'ttlMs', 'cacheScope', 'structuredContent'],
  '2025-06-18': ['resultType', 'ttlMs', 'cacheScope'],
  '2025-11-25': ['resultType', 'ttlMs', 'cacheScope'],
  '2026-07-28': [],
}

/** Below these, and under prefixed names, members are the author's own. */
const OWN =
  /\/taskIds(?:\/|$)|\/(?:structuredContent|_meta|experimental|extensions|metadata|input|data)\/|\/com\.example\//

/** Put together from other definitions, so that none of them names all members. */
const COMPOSED: ReadonlySet<string> = new Set(['TaskStatusNotification', 'GetTaskResult', 'CancelTaskResult'])

function strangers(version: ProtocolVersion, definition: string, value: unknown): string[] {
  if (COMPOSED.has(definition)) return []
  const paths = unknownMembers(version, definition, value).filter((path) => !OWN.test(path))
  return paths.map((path) => `unknown member ${path}`)
}

function judgeCall(version: ProtocolVersion, message: JsonObject): string[] {
  const method = String(message.method)
  const definition = Object.hasOwn(CALLS, method) ? CALLS[method] : undefined
  if (definition === undefined)
    return method.startsWith('notifications/') || 'id' in message ? [] : ['an unknown method']
  if (!hasDefinition(version, definition)) return [`${definition} is not part of this revision`]
  if ('id' in message && version === '2026-07-28') return ['a server sends no requests in this revision']
  const envelope = 'id' in message ? 'JSONRPCRequest' : 'JSONRPCNotification'
  // Before 2025-11-25 the definitions say nothing of the envelope's own members.
  const { jsonrpc: _, id: __, ...inner } = message
  const known = version >= '2025-11-25' ? message : inner
  return [
    ...validateAgainst(version, envelope, message),
    ...validateAgainst(version, definition, message),
    ...strangers(version, definition, known),
  ]
}

function judgeResponse(version: ProtocolVersion, message: JsonObject, method: string | undefined): string[] {
  if ('error' in message) return judgeError(version, message)
  const envelope = hasDefinition(version, 'JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse'
  const faults = validateAgainst(version, envelope, message)
  const result = message.result
  if (!isObject(result)) return [...faults, 'a result that is no object']
  for (const member of TOO_NEW[version]) if (member in result) faults.push(`${member} is too new`)
  const definition = definitionOf(version, result, method)
  if (definition === undefined) return faults
  return [
    ...faults,
    ...validateAgainst(version, definition, result),
    ...strangers(version, definition, result),
    ...judgeInputRequests(version, result),
  ]
}

function definitionOf(version: ProtocolVersion, result: JsonObject, method: string | undefined): string | undefined {
  if (version === '2026-07-28' && result.resultType === 'input_required') return 'InputRequiredResult'
  if (version === '2026-07-28' && result.resultType === 'task') return undefined
  if (version === '2025-11-25' && method === 'tools/call' && isObject(result.task)) return 'CreateTaskResult'
  const results = version === '2025-11-25' ? { ...RESULTS, ...TASK_RESULTS } : RESULTS
  return method !== undefined && Object.hasOwn(results, method) ? results[method] : undefined
}

function judgeInputRequests(version: ProtocolVersion, result: JsonObject): string[] {
  if (!isObject(result.inputRequests)) return []
  return Object.values(result.inputRequests).flatMap((request) => {
    const definition = isObject(request) ? CALLS[String(request.method)] : undefined
    if (definition === undefined) return ['an unknown input request']
    return [...validateAgainst(version, definition, request), ...strangers(version, definition, request)]
  })
}

function judgeError(version: ProtocolVersion, message: JsonObject): string[] {
  const modernEnvelope = hasDefinition(version, 'JSONRPCErrorResponse')
  const definition = modernEnvelope ? 'JSONRPCErrorResponse' : 'JSONRPCError'
  // Where no id could be read, JSON-RPC asks for null and Streamable HTTP for none; these schemas have no word for either.
  const idless = (message.id ?? null) === null && !modernEnvelope ? { ...message, id: 0 } : message
  const code = isObject(message.error) ? Number(message.error.code) : Number.NaN
  const specific = ERRORS[code]
  return [
    ...validateAgainst(version, definition, idless),
    ...strangers(version, definition, idless),
    ...(specific !== undefined && hasDefinition(version, specific) ? validateAgainst(version, specific, message) : []),
  ]
}
