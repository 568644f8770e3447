/** `@portico/servers/google`: mail, calendars and files of a Google account as a server. */

export type { ReadyServer } from '../../entry.ts'
export { createGoogleServer, GOOGLE_LIMITS, type GoogleOptions } from '../../google/server.ts'
export type { VendorOptions } from '../../vendor/vendor-service.ts'
