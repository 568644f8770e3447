/** `@portico/sdk/http`: serve over HTTP on Node. */

export type { HealthOptions } from '../serve/health.ts'
export { createHttpHandler, type HttpOptions, type HttpServer, serveHttp } from '../serve/http.ts'
