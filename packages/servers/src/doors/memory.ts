/** `@portico/servers/memory`: facts and relations that outlive a conversation, each user's apart from the others'. */

export { createMemoryServer, type MemoryServerOptions } from '../memory/server.ts'
