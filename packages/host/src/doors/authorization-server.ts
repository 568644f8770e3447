/** `@portico/host/authorization-server`: a whole OAuth authorization server for one machine or a small team. */

export {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
  type RegisteredClient,
} from '../authorization-server/server.ts'
export type { User } from '../authorization-server/users.ts'
