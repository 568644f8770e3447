/** `@portico/servers/web`: public pages of the web as readable Markdown. */

export type { ReadyServer } from '../entry.ts'
export { createWebServer, WEB_LIMITS, type WebOptions } from '../web/server.ts'
