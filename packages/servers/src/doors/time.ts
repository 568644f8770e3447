/** `@portico/servers/time`: what time it is, anywhere. */

export type { ReadyServer } from '../entry.ts'
export { createTimeServer, type TimeOptions } from '../time/server.ts'
