/** `@portico/sdk/fetch`: serve on runtimes that speak `Request` and `Response`. */

export { type FetchHandler, serveFetch } from '../serve/adapters/fetch.ts'
export type { StreamableOptions } from '../serve/streamable/streamable-options.ts'
