/**
 * What the workbench page and the program behind it say to each other: requests (`POST /api/<method>`, JSON both ways)
 * and events (one stream, `GET /api/events`). Types alone, so that the page can import them.
 */

import type { AuditRecord } from '@portico/host/audit'
import type { ConfigProblem } from '@portico/host/config'
import type { Answer, Question } from '@portico/host/consent'
import type { Circumstances, Decision, Effect } from '@portico/host/policy'
import type { CatalogueItem, ItemKind, UpstreamView } from '@portico/host/upstream'
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  JsonObject,
  ReadResourceResult,
} from '@portico/sdk/client'

/** Every request, by name. A refusal is an HTTP status with `ApiFailure` as its body. */
export interface Api {
  'app.info': Method<{}, AppInfo>

  'servers.list': Method<{}, { readonly servers: readonly ServerCard[]; readonly problems: readonly ConfigProblem[] }>
  /** `entry` is in the `mcpServers` form; any form that the configuration reads may be pasted as `text` instead. */
  'servers.add': Method<
    { readonly name?: string; readonly entry?: JsonObject; readonly text?: string },
    { readonly added: readonly string[]; readonly problems: readonly ConfigProblem[] }
  >
  'servers.remove': Method<{ readonly server: string }>
  'servers.set': Method<{
    readonly server: string
    readonly action: 'enable' | 'disable' | 'restart' | 'sign-in' | 'sign-out'
  }>
  /** The servers that other programs on this machine have configured. */
  'servers.importable': Method<{}, { readonly programs: readonly ImportableProgram[] }>
  'servers.import': Method<
    { readonly file: string; readonly servers: readonly string[] },
    { readonly added: readonly string[]; readonly problems: readonly ConfigProblem[] }
  >
  'servers.registry': Method<
    { readonly query: string },
    { readonly entries: readonly RegistryEntry[]; readonly source: string }
  >
  'servers.trust': Method<{ readonly file: string; readonly trusted: boolean }>
  'servers.doctor': Method<{ readonly server: string }, { readonly checks: readonly DoctorCheck[] }>
  'servers.logs': Method<{ readonly server: string }, { readonly lines: readonly string[] }>
  /** What signing in did, step by step, secrets left out. */
  'servers.oauth': Method<{ readonly server: string }, { readonly steps: readonly OAuthStep[] }>

  'items.list': Method<
    { readonly query?: string; readonly kind?: ItemKind; readonly server?: string; readonly cursor?: string },
    {
      readonly items: readonly CatalogueItem[]
      readonly total: number
      readonly next?: string
      readonly missing: readonly { readonly server: string; readonly reason: string }[]
    }
  >
  'items.approve': Method<{ readonly server: string; readonly item: string; readonly kind: ItemKind }>

  /** `run` names the run for progress, logs and cancelling. */
  'tools.call': Method<
    { readonly name: string; readonly arguments: JsonObject; readonly run: string },
    { readonly result: CallToolResult; readonly durationMs: number }
  >
  'resources.read': Method<
    { readonly uri: string; readonly server?: string; readonly run: string },
    { readonly result: ReadResourceResult; readonly durationMs: number }
  >
  'resources.subscribe': Method<{ readonly uri: string; readonly server: string; readonly on: boolean }>
  'prompts.get': Method<
    { readonly name: string; readonly arguments: { readonly [name: string]: string }; readonly run: string },
    { readonly result: GetPromptResult; readonly durationMs: number }
  >
  complete: Method<{ readonly server: string; readonly params: CompleteParams }, CompleteResult>
  'runs.cancel': Method<{ readonly run: string }>
  'history.list': Method<{}, { readonly entries: readonly HistoryEntry[] }>
  'history.clear': Method<{}>

  'inbox.list': Method<{}, { readonly questions: readonly Question[] }>
  'inbox.answer': Method<{ readonly id: string; readonly answer: Answer }>
  'grants.list': Method<{}, { readonly grants: readonly GrantView[] }>
  'grants.revoke': Method<{ readonly id: string }>

  'chat.models': Method<{}, { readonly models: readonly ModelChoice[]; readonly hint: string }>
  'chat.addModel': Method<{
    readonly id: string
    readonly url: string
    readonly model: string
    readonly keyVariable?: string
  }>
  'chat.list': Method<{}, { readonly chats: readonly ChatSummary[] }>
  'chat.open': Method<{ readonly id: string }, Chat>
  'chat.create': Method<{ readonly model?: string; readonly tour?: boolean }, Chat>
  'chat.send': Method<{
    readonly id: string
    readonly text: string
    readonly attachments?: readonly Attachment[]
    readonly model?: string
  }>
  'chat.cancel': Method<{ readonly id: string }>
  'chat.delete': Method<{ readonly id: string }>

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

  'policy.get': Method<
    {},
    {
      readonly rules: readonly JsonObject[]
      readonly findings: readonly PolicyFinding[]
      readonly shadow: readonly ShadowResult[]
    }
  >
  'policy.set': Method<{ readonly rules: readonly JsonObject[] }, { readonly findings: readonly PolicyFinding[] }>
  'policy.explain': Method<
    {
      readonly effect: Effect
      readonly circumstances?: Partial<Circumstances>
      readonly rules?: readonly JsonObject[]
    },
    Decision & { readonly considered: readonly string[] }
  >
  /** Newest first; `before` is a time. */
  'audit.search': Method<
    { readonly query?: string; readonly limit?: number; readonly before?: number },
    { readonly records: readonly AuditRecord[] }
  >
  'audit.verify': Method<{}, { readonly ok: boolean; readonly records: number; readonly problems: readonly string[] }>
}

export type ApiMethod = keyof Api
export type ApiParams<M extends ApiMethod> = Api[M]['params']
export type ApiResult<M extends ApiMethod> = Api[M]['result']

interface Method<Params, Result = {}> {
  readonly params: Params
  readonly result: Result
}

export interface ApiFailure {
  readonly code: string
  /** In one line, for people. */
  readonly message: string
  readonly remedy?: string
  readonly data?: unknown
}

export type ApiEvent =
  | { readonly type: 'server'; readonly server: ServerCard }
  | { readonly type: 'server-removed'; readonly server: string }
  | { readonly type: 'items-changed' }
  | { readonly type: 'problems'; readonly problems: readonly ConfigProblem[] }
  | {
      readonly type: 'progress'
      readonly run: string
      readonly progress: number
      readonly total?: number
      readonly message?: string
    }
  | {
      readonly type: 'log'
      readonly run?: string
      readonly server: string
      readonly level: string
      readonly text: string
    }
  | { readonly type: 'resource-changed'; readonly server: string; readonly uri: string }
  | { readonly type: 'history'; readonly entry: HistoryEntry }
  | { readonly type: 'question'; readonly question: Question }
  | { readonly type: 'question-gone'; readonly id: string }
  | { readonly type: 'chat'; readonly chat: string; readonly event: ChatEvent }
  /** At most a few a second: there may be thousands of messages. */
  | { readonly type: 'timeline'; readonly total: number; readonly newest: number }

export interface AppInfo {
  readonly version: string
  readonly node: string
  readonly stateDir: string
  readonly configFile: string
  readonly workspace?: string
}

export interface ServerCard extends UpstreamView {
  /** The whole command line or URL, as it would run. */
  readonly shown: string
  readonly memoryBytes?: number
  readonly processes?: number
  readonly items: {
    readonly tools: number
    readonly resources: number
    readonly prompts: number
    readonly quarantined: number
  }
  readonly warnings: readonly string[]
  readonly builtIn: boolean
}

export interface ImportableProgram {
  readonly program: string
  readonly file: string
  readonly servers: readonly {
    readonly name: string
    readonly shown: string
    readonly present: boolean
    readonly warnings: readonly string[]
  }[]
  readonly problems: readonly ConfigProblem[]
}

export interface RegistryEntry {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly repository?: string
  /** What would be added, in the `mcpServers` form, by the way it is installed. */
  readonly ways: readonly { readonly label: string; readonly entry: JsonObject; readonly shown: string }[]
}

export interface DoctorCheck {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly detail: string
  readonly remedy?: string
}

export interface OAuthStep {
  readonly at: number
  readonly step: string
  readonly status: 'ok' | 'failed' | 'waiting'
  readonly detail: string
}

export interface HistoryEntry {
  readonly run: string
  readonly at: number
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly server: string
  readonly name: string
  readonly arguments: JsonObject
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly durationMs: number
  readonly result?: JsonObject
  readonly error?: string
}

export interface GrantView {
  readonly id: string
  readonly outcome: 'allow' | 'deny'
  readonly words: string
  readonly remember: string
  readonly at: number
}

export interface ModelChoice {
  readonly id: string
  readonly label: string
  readonly provider: string
  /** Why it is in the list: a key in the environment, a local Ollama, configured. */
  readonly source: string
  readonly usable: boolean
  readonly remedy?: string
}

export interface Attachment {
  readonly kind: 'resource' | 'prompt'
  readonly server: string
  readonly name: string
  readonly arguments?: { readonly [name: string]: string }
}

export interface ChatSummary {
  readonly id: string
  readonly title: string
  readonly model?: string
  readonly at: number
  /** Played from a script through the real loop. */
  readonly tour: boolean
}

export interface Chat extends ChatSummary {
  readonly parts: readonly ChatPart[]
  readonly usage: ChatUsage
  readonly busy: boolean
}

export type ChatPart =
  | { readonly id: string; readonly kind: 'user'; readonly text: string; readonly attachments: readonly AttachedView[] }
  | { readonly id: string; readonly kind: 'assistant'; readonly text: string; readonly streaming: boolean }
  | {
      readonly id: string
      readonly kind: 'tool'
      readonly name: string
      readonly server: string
      readonly arguments: JsonObject
      readonly status: 'waiting' | 'running' | 'ok' | 'error' | 'denied' | 'cancelled'
      /** Why it was asked, or let through. */
      readonly reason?: string
      /** The question in the inbox that it waits for. */
      readonly question?: string
      readonly result?: CallToolResult
      readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }
      readonly durationMs?: number
    }
  | {
      readonly id: string
      readonly kind: 'notice'
      readonly level: 'info' | 'warning' | 'error'
      readonly text: string
      readonly remedy?: string
    }

export interface AttachedView {
  readonly label: string
  readonly server: string
  readonly bytes: number
}

export interface ChatUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly steps: number
  /** In US dollars, where the model's price is known. */
  readonly cost?: number
  readonly budget?: { readonly steps?: number; readonly tokens?: number; readonly cost?: number }
}

/** A part that is new or changed as a whole; `delta` is text to append to an assistant part. */
export type ChatEvent =
  | { readonly type: 'part'; readonly part: ChatPart }
  | { readonly type: 'delta'; readonly part: string; readonly text: string }
  | { readonly type: 'usage'; readonly usage: ChatUsage }
  | { readonly type: 'busy'; readonly busy: boolean }
  | { readonly type: 'title'; readonly title: string }

export interface TimelineRow {
  readonly id: number
  readonly at: number
  readonly server: string
  /** Lane: one for each connection. */
  readonly connection: string
  /** `out` is from this host to the server. */
  readonly direction: 'out' | 'in'
  readonly kind: 'request' | 'response' | 'error' | 'notification'
  readonly method: string
  readonly rpcId?: string | number
  /** The same for a request, its answer, its notifications, and all rounds of a call. */
  readonly group: string
  readonly durationMs?: number
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

export interface PolicyFinding {
  readonly rule?: string
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly remedy?: string
}

export interface ShadowResult {
  readonly at: number
  readonly effect: string
  readonly did: string
  readonly would: string
  readonly rule: string
}
