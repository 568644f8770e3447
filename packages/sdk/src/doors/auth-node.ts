/** `@portico/sdk/auth-node`: what signing in needs of Node: a browser, a port to come back to, and a folder for tokens. */

export { createFileTokenStore, type FileTokenStoreOptions } from '../auth/client/token-store-file.ts'
export { createGuardedFetch } from '../auth/network/guarded-fetch.ts'
export type { AuthFetch, GuardedFetchOptions } from '../auth/network/guarded-target.ts'
export { isLoopbackHost, type NetworkZone, zoneOfAddress, zoneOfHost } from '../auth/network/network-zone.ts'
export { openBrowser } from '../auth/user-agent/open-browser.ts'
export { createLoopbackUserAgent, type LoopbackOptions } from '../auth/user-agent/user-agent-loopback.ts'
