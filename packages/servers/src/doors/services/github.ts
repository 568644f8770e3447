/** `@portico/servers/github`: GitHub as a server. */

export type { ReadyServer } from '../../entry.ts'
export { createGithubServer, GITHUB_LIMITS, type GithubOptions } from '../../github/server.ts'
export type { VendorOptions } from '../../vendor/vendor-service.ts'
