/** What this process and the one that reads and checks descriptions say to each other. Types only. */

export type CheckRequest =
  | { readonly kind: 'yaml'; readonly text: string }
  | { readonly kind: 'check'; readonly root: unknown }

export interface CheckReply {
  readonly value?: unknown
  readonly problems?: string[]
  readonly failed?: string
}
