/** A server that a program configures itself, without a file. */

import {
  type ConfigPlace,
  DEFAULT_SETTINGS,
  type ServerConfig,
  type ServerSettings,
  type ServerTarget,
} from './server-config.ts'
import { fingerprintOf } from './trust/fingerprint.ts'

export function defineServer(
  name: string,
  target: ServerTarget,
  settings: Partial<ServerSettings> = {},
  place: ConfigPlace = { file: '(program)', path: name },
): ServerConfig {
  const whole = { ...DEFAULT_SETTINGS, ...settings }
  return { name, target, settings: whole, place, fingerprint: fingerprintOf(target, whole) }
}
