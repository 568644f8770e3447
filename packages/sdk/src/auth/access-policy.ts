/**
 * Attribute-based access behind one question: may this principal do this to that, as things stand? What answers it (a
 * policy engine, a table, a function) is somebody else's business; servers, hosts and gateways only ask.
 */

import type { Principal } from './principal.ts'

/** What is done. `see` decides what lists show; the others are asked again for each use, with its arguments. */
export type PolicyAction = 'see' | 'call' | 'read' | 'get' | 'complete' | 'subscribe'

/** What a policy may know of a tool, resource, template or prompt. */
export interface PolicyItem {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt'
  /** The tool's or prompt's name, the resource's URI, the template's text. */
  readonly name: string
  /** Facts about the item that policies may look at. */
  readonly attributes?: { readonly [name: string]: unknown }
}

/** Facts about the moment: arguments, time, network. Never what the client says of itself. */
export type PolicyContext = { readonly [name: string]: unknown }

/** What a policy says of one request. */
export interface Decision {
  readonly allowed: boolean
  /** The policies that decided, for the audit trail. */
  readonly reasons: readonly string[]
  /** What went wrong while deciding; anything here means that it is denied. */
  readonly errors?: readonly string[]
}

/** Decides by policy what a caller may do. */
export interface Authorizer {
  authorize(principal: Principal | undefined, action: PolicyAction, item: PolicyItem, context?: PolicyContext): Decision
}
