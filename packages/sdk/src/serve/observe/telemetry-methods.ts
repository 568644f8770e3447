/** Which requests there are to watch: those of clients, in any revision. */

import { PROTOCOL_VERSIONS } from '../../protocol/revision.ts'
import { revisionOf } from '../../protocol/revisions.ts'

export function clientMethods(): string[] {
  return [...new Set(PROTOCOL_VERSIONS.flatMap((version) => [...(revisionOf(version)?.clientRequests ?? [])]))]
}
