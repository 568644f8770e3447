/** `@portico/servers/openapi`: any service with an OpenAPI 3 description as a server. */

export type { ReadyServer } from '../entry.ts'
export type { GivenOperation, GivenParameter } from '../openapi/given-operations.ts'
export { createOpenapiServer, OPENAPI_LIMITS, type OpenapiOptions } from '../openapi/server.ts'
