/** What the handlers of elicitation and sampling are told besides the question. */

import type { Implementation } from '../../protocol/content.ts'

/** What a handler may know of the question besides its parameters. */
export interface AskContext {
  /** Which server asks; people must be shown it. As it names itself, so for display only. */
  readonly server: Implementation | undefined
  readonly label: string
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
  /** The `relay.owner` of the request that the question belongs to: the newest one where `owned` is not true. */
  readonly owner?: unknown
  /** It is certain which request the question belongs to. Pipes of the older revisions do not say. */
  readonly owned?: boolean
  /** A request waits until the person is done at the URL (`-32042`): `accept` then says that they are. */
  readonly required?: boolean
}
