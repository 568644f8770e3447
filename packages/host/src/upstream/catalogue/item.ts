/** One thing a server offers, as the host's catalogue shows it: named for everybody, with the definition as approved. */

import type { Prompt, Resource, ResourceTemplate, Tool } from '@portico/sdk/client'

/** The kinds of things that a server offers; `template` is a pattern for the URIs of resources. */
export type ItemKind = 'tool' | 'resource' | 'template' | 'prompt'

interface ItemBase {
  readonly server: string
  /** Unique in the catalogue: `server_tool` for tools and prompts, the URI for resources unless two servers share it. */
  readonly name: string
  /** What the server itself calls it. */
  readonly ownName: string
  /** SHA-256 over the canonical definition as the server sent it. */
  readonly fingerprint: string
  /** Waits for approval because it changed; cannot be used. */
  readonly quarantine?: Quarantine
  /** What was hidden in the server's text and has been made visible, and names that can be taken for others. */
  readonly findings: readonly TextFinding[]
}

/** Definitions hold overrides and neutralised text, never the raw words of the server. */
export type CatalogueItem =
  | (ItemBase & { readonly kind: 'tool'; readonly definition: Tool })
  | (ItemBase & { readonly kind: 'resource'; readonly definition: Resource })
  | (ItemBase & { readonly kind: 'template'; readonly definition: ResourceTemplate })
  | (ItemBase & { readonly kind: 'prompt'; readonly definition: Prompt })

/**
 * Why an item cannot be used: its definition is another one than was approved, since when (milliseconds since 1970),
 * and in what.
 */
export interface Quarantine {
  readonly since: number
  readonly approvedFingerprint: string
  /** One line for each part that differs, with old and new words. */
  readonly difference: readonly { readonly part: string; readonly before: string; readonly after: string }[]
}

/**
 * Characters in a server's text that a person does not see, or that make it look like another: where, of which sort,
 * and which.
 */
export interface TextFinding {
  /** Where in the definition: `description`, `inputSchema.properties.path.description`. */
  readonly part: string
  readonly what: 'control' | 'bidirectional' | 'invisible' | 'tag' | 'escape-sequence' | 'mixed-scripts'
  /** The code points, as U+XXXX. */
  readonly codes: readonly string[]
}
