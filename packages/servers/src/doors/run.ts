/** `@portico/servers/run`: code and commands in a sandbox, with a plain word about what holds them. */

export type { ReadyServer } from '../entry.ts'
export { RUN_LIMITS, type RunLimits, type RunOptions } from '../run/options.ts'
export { createRunServer } from '../run/server.ts'
