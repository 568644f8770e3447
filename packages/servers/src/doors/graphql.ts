/** `@portico/servers/graphql`: any GraphQL endpoint as a server. */

export type { ReadyServer } from '../entry.ts'
export { createGraphqlServer, GRAPHQL_LIMITS, type GraphqlOptions } from '../graphql/server.ts'
