/** Words for what is wrong with the arguments or the result of a call. Loaded for the first of which something is. */

export { unserializable } from '../../jsonrpc/unserializable.ts'
export { formatIssues } from '../../schema/json-schema/json-schema-issues.ts'
export { invalidArguments } from '../call/invalid-arguments.ts'
