/** `@portico/servers/everything`: every feature of every revision, for people who write clients. */

export type { ReadyServer } from '../entry.ts'
export { createEverythingServer, type EverythingOptions } from '../everything/server.ts'
