/** `@portico/sdk/auth-node`: what signing in needs of Node: a browser, a port to come back to, and a folder for tokens. */

export { createGuardedFetch } from '../auth/guarded-fetch.ts'
export type { AuthFetch, GuardOptions } from '../auth/guarded-target.ts'
export { isLoopbackHost, type NetworkZone, zoneOfAddress, zoneOfHost } from '../auth/network-zone.ts'
export { openBrowser } from '../auth/open-browser.ts'
export { createFileTokenStore, type FileTokenStoreOptions } from '../auth/token-store-file.ts'
export { createLoopbackUserAgent, type LoopbackOptions } from '../auth/user-agent-loopback.ts'
