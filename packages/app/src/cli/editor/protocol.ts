/**
 * What an editor and the host beside it say to each other: JSON-RPC 2.0, one message on each line of the standard streams of
 * `portico host`. This is the whole contract, types and bounds alone; `docs/guide/editor-protocol.md` tells it in words.
 */

import type { HostTask } from '@portico/host'
import type { Answer, MemoryWords } from '@portico/host/consent'
import type { TurnEvent } from '@portico/host/model'
import type { UpstreamState } from '@portico/host/upstream'
import type { CallToolResult, GetPromptResult, JsonObject, ReadResourceResult } from '@portico/sdk/client'

/** The version of the protocol that this host speaks; an editor that speaks another is refused. */
export const EDITOR_PROTOCOL = 1

const MEBIBYTE = 1024 * 1024

/** The most that one side may ask of the other. */
export const EDITOR_LIMITS = {
  /** Bytes of one line from the editor. */
  maxLineBytes: 8 * MEBIBYTE,
  /** Characters of one answer to the editor; a larger one is an error that says so. */
  maxAnswerChars: 16 * MEBIBYTE,
  /** Requests of the editor that are under way. */
  maxRequests: 64,
  /** Conversations that are open. */
  maxConversations: 16,
  /** Items on one page of `items/list`. */
  maxItems: 500,
  /** How long the editor may take to answer what it offers, in milliseconds. Questions to the person take as long as they take. */
  answerMs: 10_000,
  /** Lines that are no messages, before the connection is given up. */
  maxFaults: 100,
} as const

/** What an editor can do for the host. */
export type EditorOffer = 'files' | 'diagnostics' | 'selection' | 'input' | 'secrets' | 'page'

/** One request: what is sent, and what comes back. */
interface Method<Params, Result> {
  readonly params: Params
  readonly result: Result
}

type Nothing = { readonly [name: string]: never }

/** What the editor may ask of the host. `initialize` comes first; nothing is started before it. */
export interface HostMethods {
  initialize: Method<
    {
      readonly protocol: number
      readonly editor: { readonly name: string; readonly version: string }
      /** The version of the plugin. */
      readonly plugin?: string
      readonly offers?: readonly EditorOffer[]
    },
    {
      readonly protocol: number
      readonly version: string
      readonly folder: string
      readonly limits: typeof EDITOR_LIMITS
    }
  >
  'servers/list': Method<Nothing, { readonly servers: readonly ServerRow[]; readonly problems: readonly string[] }>
  'servers/set': Method<{ readonly server: string; readonly action: ServerAction }, Nothing>
  'items/list': Method<
    {
      readonly kind?: ItemRow['kind']
      readonly server?: string
      readonly query?: string
      readonly cursor?: string
    },
    { readonly items: readonly ItemRow[]; readonly total: number; readonly next?: string }
  >
  /** With `task`, a call that its server makes a task is answered at once with that task. */
  'tools/call': Method<
    { readonly name: string; readonly arguments: JsonObject; readonly task?: boolean },
    { readonly server: string; readonly result: CallToolResult } | { readonly task: HostTask }
  >
  'resources/read': Method<
    { readonly uri: string },
    { readonly server: string; readonly contents: ReadResourceResult['contents'] }
  >
  'prompts/get': Method<
    { readonly name: string; readonly arguments: { readonly [name: string]: string } },
    { readonly server: string; readonly description?: string; readonly messages: GetPromptResult['messages'] }
  >
  'questions/list': Method<Nothing, { readonly questions: readonly ShownQuestion[] }>
  /** `digest` is that of the question as it was shown: an answer to other words is refused. */
  'questions/answer': Method<{ readonly id: string; readonly digest: string; readonly answer: Answer }, Nothing>
  'tasks/list': Method<Nothing, { readonly tasks: readonly HostTask[] }>
  /** Waits for the end of the task. */
  'tasks/result': Method<{ readonly label: string }, { readonly server: string; readonly result: CallToolResult }>
  'tasks/cancel': Method<{ readonly label: string }, Nothing>
  'tasks/forget': Method<{ readonly label: string }, Nothing>
  'models/list': Method<
    Nothing,
    { readonly models: readonly { readonly id: string; readonly usable: boolean; readonly remedy?: string }[] }
  >
  /** One message of the person and all that the model does about it; `turn/event` tells of it meanwhile. */
  'turn/start': Method<
    {
      /** Chosen by the editor; the same one goes on with the same conversation. */
      readonly conversation: string
      readonly text: string
      readonly model?: string
      /** URIs of resources that go along with this message. */
      readonly attach?: readonly string[]
    },
    TurnEnd
  >
  /** Lets the model take up what a task has come to, without a message of the person. */
  'turn/proceed': Method<{ readonly conversation: string }, TurnEnd>
  'conversation/close': Method<{ readonly conversation: string }, Nothing>
  shutdown: Method<Nothing, Nothing>
}

/** What the host may ask of an editor, each only where the editor has offered it. */
export interface EditorMethods {
  /** The files that are open, of this folder alone; the host leaves out those that look like secrets. */
  'editor/files': Method<Nothing, { readonly files: readonly OpenFile[] }>
  /** The text of one of them as it is in the editor, saved or not. */
  'editor/text': Method<{ readonly path: string }, { readonly text: string }>
  'editor/diagnostics': Method<Nothing, { readonly diagnostics: readonly EditorDiagnostic[] }>
  'editor/selection': Method<Nothing, { readonly selection: EditorSelection | null }>
  /** A value that a configuration file asks the person for. Null is no answer. */
  'editor/input': Method<
    {
      readonly id: string
      readonly description: string
      readonly password: boolean
      readonly options?: readonly string[]
    },
    { readonly value: string | null }
  >
  /** A secret out of the editor's own store. */
  'editor/secret': Method<{ readonly name: string }, { readonly value: string | null }>
  'editor/keep-secret': Method<{ readonly name: string; readonly value: string | null }, Nothing>
  /** Opens a page in the person's browser, after they have agreed. */
  'editor/page': Method<{ readonly url: string }, { readonly opened: boolean }>
}

/** What the host tells of by itself. */
export interface HostEvents {
  'server/changed': { readonly server: ServerRow }
  'server/removed': { readonly server: string }
  'items/changed': Nothing
  'problems/changed': { readonly problems: readonly string[] }
  'question/asked': { readonly question: ShownQuestion }
  /** It was answered, here or elsewhere, or nobody waits for it any more. */
  'question/gone': { readonly id: string }
  'task/changed': { readonly task: HostTask }
  /** Of the request with this id. */
  progress: {
    readonly id: string | number
    readonly progress: number
    readonly total?: number
    readonly message?: string
  }
  'turn/event': { readonly conversation: string; readonly event: ShownTurnEvent }
}

/** What the editor tells of by itself. */
export interface EditorEvents {
  /** Cancels the request with this id. */
  cancel: { readonly id: string | number }
  /** What it offers is not as it was. */
  'editor/changed': { readonly what: readonly ('files' | 'diagnostics' | 'selection')[] }
}

/** What can be done with a server. */
export type ServerAction = 'enable' | 'disable' | 'restart' | 'sign-in'

/** A server for a side bar. Every text in it is safe to show. */
export interface ServerRow {
  readonly name: string
  readonly state: UpstreamState['state']
  /** Somebody has to allow it first. */
  readonly waits?: boolean
  readonly reason?: string
  readonly remedy?: string
  readonly title?: string
  readonly protocol?: string
  /** The command line or URL. */
  readonly shown: string
  readonly tools: number
  readonly resources: number
  readonly prompts: number
  /** Items that changed and wait for approval. */
  readonly held: number
}

/** One tool, resource, template or prompt; the definition is the server's, cleaned. */
export interface ItemRow {
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt'
  readonly server: string
  /** For `tools/call`, `resources/read` and `prompts/get`. */
  readonly name: string
  readonly definition: JsonObject
  /** It changed, and waits for approval. */
  readonly held?: true
}

/** One way to answer a question. */
export interface AnswerChoice {
  /** A letter for keyboards. */
  readonly key: string
  readonly label: string
  readonly answer: Answer
  /** What `answer.content` has to be filled with: the values of `form`, or `content` as the person has edited it. */
  readonly needs?: 'form' | 'edit'
}

/** A question with everything that has to be before the person who answers it. Every text in it is safe to show. */
export interface ShownQuestion {
  readonly id: string
  /** Sent back with the answer. */
  readonly digest: string
  readonly server: string
  readonly kind: string
  /** One line: what would happen. */
  readonly title: string
  /** All of it: the command, the arguments, the prompt. Several lines. */
  readonly details: string
  readonly warnings: readonly string[]
  readonly choices: readonly AnswerChoice[]
  /** For how long an answer holds, by how it is remembered. */
  readonly memory?: MemoryWords
  /** A JSON Schema of an object with plain members. */
  readonly form?: JsonObject
  /** What may be edited. */
  readonly content?: JsonObject
  /** It waits in another process. */
  readonly elsewhere?: true
}

/** How a turn ended. */
export interface TurnEnd {
  readonly reason: 'done' | 'cancelled' | 'budget' | 'failed'
  readonly error?: string
}

/** What happens in a turn; errors as texts, and a task whose result has come. */
export type ShownTurnEvent =
  | Exclude<TurnEvent, { readonly type: 'end' }>
  | ({ readonly type: 'end' } & TurnEnd)
  | { readonly type: 'task'; readonly label: string; readonly tool: string; readonly problem?: string }

/** An open file; `path` is below the folder, with forward slashes. */
export interface OpenFile {
  readonly path: string
  readonly language?: string
  readonly modified?: boolean
}

/** Lines count from 1, columns too. */
export interface EditorDiagnostic {
  readonly path: string
  readonly line: number
  readonly column?: number
  readonly severity: 'error' | 'warning' | 'information' | 'hint'
  readonly message: string
  readonly source?: string
}

/** What is selected, or the line of the cursor where nothing is. */
export interface EditorSelection {
  readonly path: string
  readonly line: number
  readonly endLine: number
  readonly text: string
}
