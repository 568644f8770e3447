/** The reserved `_meta` keys, and how the per-request envelope of the modern revisions is read from them. */

import { INVALID_PARAMS, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { ClientCapabilities } from './capabilities.ts'
import type { Implementation } from './content.ts'
import { isLogLevel, type LogLevel } from './logging.ts'

export const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
export const META_CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
export const META_CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
export const META_LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
export const META_SERVER_INFO = 'io.modelcontextprotocol/serverInfo'
export const META_SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'

export type ProgressToken = string | number

/** What a modern request says of itself (2026-07-28, basic, "`_meta`"). */
interface Envelope {
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly clientInfo: Implementation | undefined
  readonly logLevel: LogLevel | undefined
}

/** The version a request claims in `_meta`, if it claims one: the mark of a modern request. */
export function claimedVersion(params: JsonObject | undefined): unknown {
  const meta = params?._meta
  return isObject(meta) ? meta[META_VERSION] : undefined
}

/** Reads the envelope or throws the `-32602` that the specification asks for, naming the missing field. */
export function readEnvelope(params: JsonObject | undefined): Envelope {
  const meta = params?._meta
  if (!isObject(meta)) throw missing('_meta', 'every request needs the per-request fields in "params._meta"')
  const version = meta[META_VERSION]
  if (typeof version !== 'string') throw missing(META_VERSION, 'must be a string')
  const capabilities = meta[META_CLIENT_CAPABILITIES]
  if (!isObject(capabilities)) throw missing(META_CLIENT_CAPABILITIES, 'must be an object')
  const info = meta[META_CLIENT_INFO]
  if (info !== undefined && !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')) {
    throw missing(META_CLIENT_INFO, 'needs a name and a version')
  }
  const logLevel = meta[META_LOG_LEVEL]
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw missing(META_LOG_LEVEL, 'is not a log level')
  // Capabilities are read member by member where they are used, so an ill-typed member reads as absent.
  return {
    version,
    capabilities: capabilities as ClientCapabilities,
    // Just shown to have what makes one.
    clientInfo: info as Implementation | undefined,
    logLevel,
  }
}

/** The progress token of a request, when it carries a usable one. */
export function progressToken(params: JsonObject | undefined): ProgressToken | undefined {
  const meta = params?._meta
  if (!isObject(meta)) return undefined
  const token = meta.progressToken
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}

function missing(parameter: string, reason: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: ${parameter} ${reason}`, { parameter, reason })
}
