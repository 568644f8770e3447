/**
 * What a handler may know of the conversation its request belongs to: revision, client, principal, level of logging,
 * and how to ask the client something. A session of the older revisions implements it once per connection; a modern
 * request implements it for itself alone.
 */

import type { Principal } from '../auth/principal.ts'
import { isOfKind, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import type { AskKind, ClientCapabilities } from '../protocol/capabilities.ts'
import { requiredFor } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { MISSING_CLIENT_CAPABILITY } from '../protocol/errors.ts'
import type { LogLevel } from '../protocol/logging.ts'
import type { Revision } from '../protocol/revision.ts'

export interface Conversation {
  readonly revision: Revision
  readonly capabilities: ClientCapabilities
  readonly clientInfo: Implementation | undefined
  readonly principal: Principal | undefined
  /** Messages below this level are not sent; undefined means none are. */
  readonly logLevel: LogLevel | undefined
}

/**
 * Thrown inside a handler that asks the client for something it does not offer. If the handler does not catch it, it
 * becomes the answer to the request.
 */
export class CapabilityError extends PorticoError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    const fits = ({ code, kind }: { code?: unknown; kind?: unknown }) =>
      code === 'capability-missing' && kind !== undefined
    // biome-ignore lint/complexity/noThisInStatic: a class that is derived from this one is asked by itself
    return isOfKind<CapabilityError>(this, CapabilityError, value, fits)
  }

  readonly kind: AskKind

  constructor(kind: AskKind) {
    super('capability-missing', `The client did not declare the capability for ${NAMES[kind]}`, {
      data: { requiredCapabilities: requiredFor(kind) },
    })
    this.name = 'CapabilityError'
    this.kind = kind
  }

  /** How a modern server answers when the handler did not catch it (2026-07-28, basic, "`_meta`"). */
  toRpcError(): RpcError {
    return new RpcError(MISSING_CLIENT_CAPABILITY, this.message, this.data)
  }
}

const NAMES: { readonly [kind in AskKind]: string } = {
  form: 'elicitation by form',
  url: 'elicitation by URL',
  sample: 'sampling',
  'sample-tools': 'sampling with tools',
  roots: 'roots',
}
