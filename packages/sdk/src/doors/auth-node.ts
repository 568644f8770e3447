/** `@portico/sdk/auth-node`: what signing in needs of Node: a browser, a port to come back to, and a folder for tokens. */

export { openBrowser } from '../auth/open-browser.ts'
export { createFileTokenStore, type FileTokenStoreOptions } from '../auth/token-store-file.ts'
export { createLoopbackUserAgent, type LoopbackOptions } from '../auth/user-agent-loopback.ts'
