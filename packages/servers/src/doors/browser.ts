/** `@portico/servers/browser`: a real browser that reaches the public web and asks before it sends a form. */

export { BROWSER_LIMITS, type BrowserLimits, type BrowserOptions } from '../browser/options.ts'
export { createBrowserServer } from '../browser/server.ts'
export type { ReadyServer } from '../entry.ts'
