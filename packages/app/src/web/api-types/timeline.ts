/** `timeline.*`: messages on the wire, numbers about them, and recordings. */

import type { Method } from './method.ts'

export interface TimelineApi {
  /** `filter` as typed: `method:tools/call status:error dur:>500ms server:files text`. Newest last. */
  'timeline.query': Method<
    { readonly filter?: string; readonly before?: number; readonly after?: number; readonly limit?: number },
    { readonly rows: readonly TimelineRow[]; readonly total: number; readonly problem?: string }
  >
  'timeline.message': Method<
    { readonly id: number },
    {
      readonly row: TimelineRow
      readonly message: unknown
      readonly raw: string
      readonly related: readonly TimelineRow[]
    }
  >
  'timeline.clear': Method<{}>
  'timeline.stats': Method<{}, TimelineStats>
  'timeline.record': Method<
    { readonly server?: string; readonly on: boolean },
    { readonly file?: string; readonly messages?: number; readonly recording: boolean }
  >
  /** `recording` is the file that is being written now. */
  'timeline.recordings': Method<{}, { readonly recordings: readonly RecordingView[]; readonly recording?: string }>
  /** Adds a server that answers from the recording. */
  'timeline.replay': Method<{ readonly file: string }, { readonly server: string }>
  /** The recording as a Vitest file. */
  'timeline.exportTest': Method<{ readonly file: string }, { readonly name: string; readonly text: string }>
}

export interface TimelineRow {
  readonly id: number
  readonly at: number
  readonly server: string
  /** Lane: one for each connection. */
  readonly connection: string
  /** `out` is from this host to the server. */
  readonly direction: 'out' | 'in'
  /** `closed`: the connection or its process ended; no message, and `summary` says why. */
  readonly kind: 'request' | 'response' | 'error' | 'notification' | 'closed'
  readonly method: string
  readonly rpcId?: string | number
  /** The same for a request, its answer, its notifications, and all rounds of a call. */
  readonly group: string
  readonly durationMs?: number
  /** Why a request got no answer and never will. */
  readonly lost?: string
  readonly bytes: number
  /** A few words: the tool's name, the error's message. */
  readonly summary: string
}

export interface TimelineStats {
  /** One entry for each minute of the last hour that had traffic. */
  readonly minutes: readonly {
    readonly at: number
    readonly calls: number
    readonly errors: number
    readonly p50: number
    readonly p95: number
  }[]
  readonly servers: readonly {
    readonly server: string
    readonly calls: number
    readonly errors: number
    readonly p50: number
    readonly p95: number
  }[]
}

export interface RecordingView {
  readonly file: string
  readonly server?: string
  readonly at: number
  readonly messages: number
  readonly bytes: number
}
