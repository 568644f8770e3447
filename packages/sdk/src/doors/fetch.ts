/** `@portico/sdk/fetch`: serve on runtimes that speak `Request` and `Response`. */

export { type FetchOptions, serveFetch } from '../serve/fetch.ts'
