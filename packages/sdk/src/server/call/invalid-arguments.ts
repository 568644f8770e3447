/** The refusal of arguments, for methods whose items have schemas. */

import { INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import { formatIssues, type Issue, subjectOf } from '../../schema/json-schema/json-schema-issues.ts'

/** The `-32602` for arguments that do not fit their schema; `data.parameter` names the first that does not. */
export function invalidArguments(issues: readonly Issue[]): RpcError {
  const [first] = issues
  const at = first && subjectOf(first)
  const reason = formatIssues(issues)
  const parameter = at ? `arguments.${at}` : 'arguments'
  return new RpcError(INVALID_PARAMS, `Invalid params: ${reason}`, { parameter, reason })
}
