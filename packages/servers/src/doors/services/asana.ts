/** `@portico/servers/asana`: Asana as a server. */

export { ASANA_LIMITS, type AsanaOptions, createAsanaServer } from '../../asana/server.ts'
export type { ReadyServer } from '../../entry.ts'
export type { VendorOptions } from '../../vendor/vendor-service.ts'
