/** `@portico/servers/knowledge`: a folder of documents to search, with citations that can be read. */

export type { EmbedService } from '../knowledge/embed-service.ts'
export type { Embed } from '../knowledge/meanings.ts'
export { createKnowledgeServer, type KnowledgeServerOptions } from '../knowledge/server.ts'
