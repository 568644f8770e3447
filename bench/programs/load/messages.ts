/** The messages that the load is made of, as bytes-to-be: a text with a hole where the id goes. */

export type Era = 'session' | 'modern'

export interface Call {
  readonly method: 'tools/call' | 'tools/list'
  readonly name?: string
  readonly args?: { readonly [name: string]: unknown }
  /** Ask for progress notifications. */
  readonly progress?: boolean
  /** Calls take turns between so many servers behind a gateway, whose names go before the tool's. */
  readonly servers?: number
}

/** One call for each server that takes a turn. */
export function turnsOf({ servers, ...call }: Call): readonly Call[] {
  if (servers === undefined) return [call]
  return Array.from({ length: servers }, (_, at) => ({ ...call, name: `${serverName(at)}_${call.name}` }))
}

export function serverName(at: number): string {
  return `s${at}`
}

export const LEGACY_VERSION = '2025-11-25'
export const MODERN_VERSION = '2026-07-28'

/** Ids of one width, so that a request's length does not depend on its id. */
export const FIRST_ID = 1_000_000

const CLIENT = { name: 'load', version: '1.0.0' }

export interface Template {
  readonly before: string
  readonly after: string
}

export function toTemplate({ method, name, args, progress }: Call, era: Era): Template {
  const meta = {
    ...(progress && { progressToken: 7 }),
    ...(era === 'modern' && {
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    }),
  }
  const params = {
    ...(name !== undefined && { name, arguments: args ?? {} }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  }
  const text = JSON.stringify({ jsonrpc: '2.0', id: FIRST_ID, method, params })
  const at = text.indexOf(String(FIRST_ID))
  return { before: text.slice(0, at), after: text.slice(at + String(FIRST_ID).length) }
}

export function initializeText(): string {
  const params = { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo: CLIENT }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
}

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
