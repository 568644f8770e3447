/** Settings of a server that are changed while it runs, over those of its entry. */

import type { ServerConfig, ServerSettings } from '../config/server-config.ts'

/** What is undefined is as configured. */
export type Tuning = Partial<Pick<ServerSettings, 'roots' | 'logLevel'>>

export function withTuning(config: ServerConfig, tuning: Tuning | undefined): ServerConfig {
  if (tuning === undefined) return config
  const changed = Object.fromEntries(Object.entries(tuning).filter(([, value]) => value !== undefined))
  return { ...config, settings: { ...config.settings, ...changed } }
}
