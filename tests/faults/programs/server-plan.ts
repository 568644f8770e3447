/** What the fault suite's server is told when it starts, and what its one tool is told with each call. */

export interface ServerPlan {
  readonly link: 'stdio' | 'http'
  /** The file that every execution is written to. */
  readonly ledger: string
  /** 0 takes any; the port in use is printed on the first line. */
  readonly port?: number
  readonly graceMs?: number
  readonly keepAliveMs?: number
  /** What happens to the lines on standard output. */
  readonly stdout?: 'duplicate' | 'reorder' | 'noise' | 'crlf' | 'trickle'
  /** Writes this much of the line that answers the call with this nonce, and dies. */
  readonly cut?: { readonly nonce: string; readonly at: CutPoint }
  /** Starts a process that inherits the pipes and outlives this one. */
  readonly grandchild?: boolean
  /** The lives, counted from 1, that end before anything was said. */
  readonly stillborn?: readonly number[]
  /** False leaves out the syncing of the ledger, which a process that is not killed does not need. */
  readonly sync?: boolean
  /** Every event of an event stream is sent twice. */
  readonly duplicateEvents?: boolean
  /** The store for events has no room. */
  readonly eventsFull?: boolean
  /** Only bearers of the token in this file are let in; it is read with every request. */
  readonly tokenFile?: string
  /** Where those who have none are told to look. */
  readonly metadata?: string
}

/** Where in an answer it breaks off. */
export type CutPoint = 'header' | 'json' | 'utf8' | 'end'

export interface WorkArguments {
  readonly nonce: string
  /** How long the work takes. */
  readonly ms?: number
  /** Reports of progress on the way. */
  readonly steps?: number
  /** Length of a text that the answer carries besides. */
  readonly size?: number
  readonly fault?: 'kill-before' | 'kill-after' | 'exit' | 'block' | 'heap'
  readonly blockMs?: number
}

/** The text that answers a call: it names the call, and has characters of every UTF-8 length. */
export function answerTo(nonce: string): string {
  return `${nonce} é漢😀`
}
