/** `@portico/sdk/http`: serve over HTTP on Node. */

export {
  createMemoryEvents,
  type EventStore,
  type EventStoreFactory,
  type StoredEvent,
} from '../serve/event-store.ts'
export type { HealthOptions } from '../serve/health.ts'
export { createHttpHandler, type HttpOptions, type HttpServer, serveHttp } from '../serve/http.ts'
