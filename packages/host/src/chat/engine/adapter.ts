/**
 * What a team chat is for the engine: events that come in, and a few ways out. An adapter (`slack/`, `webhook/`) is thin: it
 * reads its chat's wire into these events, and writes these messages in its chat's form. It decides nothing.
 */

/** Somebody in a chat, as the chat itself knows them. */
export interface ChatPerson {
  /** The workspace, or whatever is the same for people who know each other by these ids. */
  readonly team: string
  readonly id: string
}

/** Where something is said. A thread is a conversation; so is a direct exchange outside of threads (`thread` is empty). */
export interface ChatThread {
  readonly team: string
  readonly channel: string
  readonly thread: string
  /** Only the person and the bot are there. */
  readonly direct: boolean
}

/** A file that came with a message; what is in it is fetched through the adapter. */
export interface ChatFile {
  readonly id: string
  readonly name: string
  readonly mimeType: string
  /** As the chat claims it; what is fetched is counted anyway. */
  readonly bytes: number
}

/** A message that somebody wrote. */
export interface ChatSaid {
  /** Names it in its channel, for edits and deletions; a message that is delivered twice has the same. */
  readonly message: string
  readonly thread: ChatThread
  readonly person: ChatPerson
  readonly text: string
  readonly files: readonly ChatFile[]
  /** The bot is meant: it was mentioned, or nobody else is there. */
  readonly addressed: boolean
  /** When it was written, in milliseconds, where the chat says so: what is older than is remembered is not answered. */
  readonly at?: number
}

/** A message that was changed (`text`), or taken back. */
export interface ChatChanged {
  readonly team: string
  readonly channel: string
  readonly message: string
  /** Absent where the message was deleted. */
  readonly text?: string
}

/** Somebody pressed a button. */
export interface ChatPressed {
  readonly button: string
  readonly person: ChatPerson
  readonly thread: ChatThread
  /** What a form can be opened with, where the chat wants such a thing. */
  readonly opener?: string
}

/** Somebody sent a form. */
export interface ChatSubmitted {
  readonly form: string
  readonly person: ChatPerson
  /** By name of the field; `undefined` and empty texts are fields that were left out. */
  readonly values: { readonly [field: string]: string | readonly string[] | undefined }
}

/** What is wrong with a form that was sent, by field; nothing where it was taken. */
export type FormProblems = { readonly [field: string]: string } | undefined

/** Where an adapter brings what happened. Each call resolves once the event is safe: only then is it acknowledged. */
export interface ChatSink {
  said(event: ChatSaid): Promise<void>
  changed(event: ChatChanged): Promise<void>
  pressed(event: ChatPressed): Promise<void>
  submitted(event: ChatSubmitted): Promise<FormProblems>
  /** Whether something is seen for the first time, by any process on the same store. */
  once(key: string, forMs: number): Promise<boolean>
}

/**
 * A piece of a message. All text is literal: it makes no mention, no link, no button and no layout, whoever wrote it. Mentions and
 * links are pieces of their own, which the engine alone makes.
 */
export type ChatPiece =
  /** The engine's own words. */
  | { readonly kind: 'words'; readonly text: string }
  /** What a model said; fences and bold may be drawn. */
  | { readonly kind: 'said'; readonly text: string }
  /** Shown exactly as it is. */
  | { readonly kind: 'exact'; readonly text: string }
  | { readonly kind: 'person'; readonly person: ChatPerson }
  /** The address is what is shown. */
  | { readonly kind: 'link'; readonly url: string }

/** A button of the engine's: `id` says nothing to anybody else. */
export interface ChatButton {
  readonly id: string
  readonly label: string
  readonly look?: 'good' | 'bad'
}

/** A message on its way to people. */
export interface ChatMessage {
  readonly pieces: readonly ChatPiece[]
  readonly buttons?: readonly ChatButton[]
}

/** A field of a form. */
export interface ChatField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly kind: 'text' | 'number' | 'choice' | 'choices'
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly initial?: string
  readonly required: boolean
}

/** A form for one person. */
export interface ChatForm {
  readonly id: string
  readonly title: string
  readonly note: readonly ChatPiece[]
  readonly fields: readonly ChatField[]
}

/** A file on its way to people. */
export interface ChatUpload {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** A team chat. Whatever is sent to it is bounded by the engine to `limits` first. */
export interface ChatAdapter {
  /** In the ids of people: `slack`. */
  readonly name: string
  readonly limits: {
    /** Characters of all pieces of one message. */
    readonly text: number
    /** Milliseconds between two edits of one message. */
    readonly editMs: number
  }
  /** Begins to bring events. */
  start(sink: ChatSink): Promise<void>
  close(): Promise<void>
  /** The id of the message, for `edit`. */
  post(thread: ChatThread, message: ChatMessage): Promise<string>
  edit(thread: ChatThread, id: string, message: ChatMessage): Promise<void>
  /** Shows something to one person alone. */
  whisper(thread: ChatThread, person: ChatPerson, message: ChatMessage): Promise<void>
  /** Opens a form for whoever has just pressed a button. */
  openForm(pressed: ChatPressed, form: ChatForm): Promise<void>
  /** Rejects when it is larger. */
  fetchFile(file: ChatFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>
  upload(thread: ChatThread, file: ChatUpload): Promise<void>
}

/** Plain JSON for a person, in one form everywhere: `slack:T1:U1`. */
export function principalOf(adapter: string, { team, id }: ChatPerson): string {
  return [adapter, team, id].map(encodeURIComponent).join(':')
}
