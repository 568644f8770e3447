/** `@portico/sdk/http`: serve over HTTP on Node. */

export { createHttpHandler, type HttpOptions, type HttpServer, serveHttp } from '../serve/adapters/http.ts'
export type { OpenSession } from '../serve/adapters/open-sessions.ts'
export type { HealthOptions } from '../serve/observe/health.ts'
export {
  createMemoryEvents,
  type EventStore,
  type EventStoreFactory,
  type StoredEvent,
} from '../serve/streamable/event-store.ts'
