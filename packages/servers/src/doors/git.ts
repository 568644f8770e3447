/** `@portico/servers/git`: git repositories as an MCP server. */

export type { GitOptions } from '../git/options.ts'
export { createGitServer } from '../git/server.ts'
