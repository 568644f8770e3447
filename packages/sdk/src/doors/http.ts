/** `@portico/sdk/http`: serve over HTTP on Node. */

export { createHttpHandler, type HttpOptions, type HttpServer, serveHttp } from '../serve/http.ts'
