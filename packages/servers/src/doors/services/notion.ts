/** `@portico/servers/notion`: Notion as a server. */

export type { ReadyServer } from '../../entry.ts'
export { createNotionServer, NOTION_LIMITS, type NotionOptions } from '../../notion/server.ts'
export type { VendorOptions } from '../../vendor/vendor-service.ts'
