/** `portico/web-api`: the types that the workbench page shares with the program behind it. */

export type * from '../web/api-types/api.ts'
