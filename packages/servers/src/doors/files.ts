/** `@portico/servers/files`: directories of this machine as an MCP server. */

export { DENIED } from '../files/deny.ts'
export type { FilesOptions } from '../files/options.ts'
export { createFilesServer } from '../files/server.ts'
