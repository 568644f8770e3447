/** `@portico/servers/knowledge`: a folder of documents to search, with citations that can be read. */

export { createKnowledgeServer, type KnowledgeServerOptions } from '../knowledge/server.ts'
