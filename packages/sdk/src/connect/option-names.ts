/**
 * The names of all options, for programs that no compiler has read: one that differs from them by a slip would silently do
 * nothing. Others are let pass, since they may be for somebody else.
 */

import { CLIENT_LIMITS, CLIENT_TIMEOUTS } from '../client/options.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import { requireName } from '../jsonrpc/nearest.ts'
import { requireOptions, toBoundTable } from '../jsonrpc/option-table.ts'
import type { ConnectOptions } from './options.ts'

const NAMES: { readonly [Name in keyof Required<ConnectOptions>]: true } = {
  auth: true,
  cache: true,
  cacheIdentity: true,
  cacheUntilUpdated: true,
  discoverMs: true,
  elicitation: true,
  experimental: true,
  extensions: true,
  fetch: true,
  headers: true,
  info: true,
  keepAlive: true,
  limits: true,
  logLevel: true,
  nameSources: true,
  onProcess: true,
  onRefused: true,
  prior: true,
  receiveTasks: true,
  resultTypes: true,
  roots: true,
  sampling: true,
  signal: true,
  tasks: true,
  timeouts: true,
  tls: true,
  transfer: true,
  negotiations: true,
  versions: true,
  webSocket: true,
  wrapLink: true,
}

export function requireKnownNames(options: ConnectOptions): void {
  check('option', options, NAMES)
  check('limit', options.limits, CLIENT_LIMITS)
  check('timeout', options.timeouts, CLIENT_TIMEOUTS)
  requireOptions('limits', options.limits, LIMITS, refuse)
  requireOptions('timeouts', options.timeouts, TIMEOUTS, refuse)
}

const LIMITS = toBoundTable(CLIENT_LIMITS)
const TIMEOUTS = toBoundTable(CLIENT_TIMEOUTS)

function refuse(message: string): PorticoError {
  return new PorticoError('invalid-arguments', message, { delivery: 'not-sent' })
}

function check(what: string, given: unknown, known: object): void {
  if (!isObject(given)) return
  for (const name of Object.keys(given)) requireName(what, name, Object.keys(known), { onlySlips: true, fail: refuse })
}
