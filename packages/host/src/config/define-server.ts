/** A server that a program configures itself, without a file. */

import {
  type ConfigPlace,
  DEFAULT_SETTINGS,
  type ServerConfig,
  type ServerSettings,
  type ServerTarget,
} from './server-config.ts'
import { fingerprintOf } from './trust/fingerprint.ts'

/**
 * Describes a server in code instead of in a configuration file: its name, how it is reached, and settings that differ
 * from `DEFAULT_SETTINGS`.
 *
 * @example
 * ```ts
 * import { defineServer } from '@portico/host/config'
 *
 * const notes = defineServer('notes', { kind: 'stdio', command: 'node', args: ['notes.js'], env: {} })
 * const docs = defineServer('docs', { kind: 'http', url: 'https://docs.example/mcp', headers: {} }, { lazy: true })
 * ```
 */
export function defineServer(
  name: string,
  target: ServerTarget,
  settings: Partial<ServerSettings> = {},
  place: ConfigPlace = { file: '(program)', path: name },
): ServerConfig {
  const whole = { ...DEFAULT_SETTINGS, ...settings }
  return { name, target, settings: whole, place, fingerprint: fingerprintOf(target, whole) }
}
