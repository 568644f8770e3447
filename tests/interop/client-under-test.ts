/**
 * A client as the checks see it, whoever wrote it: the official ones, our own, and the raw one that writes messages by
 * hand each stand behind this interface (`clients/`), so that every check is written once and run on every pair of
 * client, server, transport and revision that it applies to.
 */

export type Json = { [key: string]: unknown }

export const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
export type Version = (typeof VERSIONS)[number]

export interface Block extends Json {
  type: string
  text?: string
}

export interface ToolResult {
  content: Block[]
  structuredContent?: unknown
  isError?: boolean
}

export interface Contents {
  uri: string
  mimeType?: string
  text?: string
  blob?: string
}

export interface Item extends Json {
  name: string
}

export interface Message {
  role: string
  content: Block
}

export interface Progress {
  progress: number
  total?: number
  message?: string
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  readonly meta?: Json
}

export type ListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'
export type Reference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }
export type Listening = { readonly honoured: Json; close(): Promise<void>; readonly closed: Promise<string> }

export interface ClientUnderTest {
  readonly maker: 'ours' | 'raw' | 'sdk-1' | 'sdk-2'
  readonly version: Version
  readonly server: { readonly name?: string; readonly capabilities: Json; readonly instructions?: string }
  readonly heard: Heard
  readonly answers: Answers
  callTool(name: string, args?: Json, options?: CallOptions): Promise<ToolResult>
  /** The whole list, all pages of it. */
  list(kind: ListKind): Promise<Item[]>
  /** One page, from a cursor that may be nonsense. */
  page(kind: ListKind, cursor: string): Promise<unknown>
  readResource(uri: string): Promise<Contents[]>
  getPrompt(name: string, args?: { [name: string]: string }): Promise<{ description?: string; messages: Message[] }>
  complete(
    ref: Reference,
    argument: { name: string; value: string },
    context?: { [name: string]: string },
  ): Promise<{ values: string[]; total?: number; hasMore?: boolean }>
  setLevel(level: string): Promise<void>
  ping(): Promise<void>
  /** On the older revisions. */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /** On the newest revision. */
  listen(filter: Json): Promise<Listening>
  rootsChanged(): Promise<void>
  close(): Promise<void>
}

/** How a client answers what a server asks; checks replace the functions. */
export interface Answers {
  elicit(params: Json): Json | Promise<Json>
  sample(params: Json): Json | Promise<Json>
  roots(): Json[]
}

export interface Offer {
  /** Whether the client declares roots, sampling (with tools) and elicitation (form and URL). */
  readonly asking: boolean
}

interface Waiter {
  readonly wanted: (notice: Notice) => boolean
  readonly resolve: (notice: Notice) => void
}

export interface Notice {
  readonly method: string
  readonly params: Json
}

/** The notifications that a client received, in order, to look at or wait for. */
export class Heard {
  notices: Notice[] = []
  readonly #waiters = new Set<Waiter>()

  take(method: string, params: unknown): void {
    // JSON-RPC allows objects only here, and every client under test checks that before.
    const notice = { method, params: (params ?? {}) as Json }
    this.notices.push(notice)
    for (const waiter of this.#waiters) {
      if (!waiter.wanted(notice)) continue
      this.#waiters.delete(waiter)
      waiter.resolve(notice)
    }
  }

  clear(): void {
    this.notices = []
  }

  of(method: string): Notice[] {
    return this.notices.filter((notice) => notice.method === method)
  }

  /** The first notification of that method since `clear`, waiting for it when it has not come yet. */
  async next(method: string, test: (params: Json) => boolean = () => true, limitMs = 8_000): Promise<Notice> {
    const wanted = (notice: Notice) => notice.method === method && test(notice.params)
    const known = this.notices.find(wanted)
    if (known !== undefined) return known
    return new Promise((resolve, reject) => {
      const waiter = {
        wanted,
        resolve: (notice: Notice) => {
          clearTimeout(timer)
          resolve(notice)
        },
      }
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter)
        const heard = this.notices.map((notice) => notice.method).join(', ')
        reject(new Error(`${method} did not come within ${limitMs} ms; heard: ${heard || 'nothing'}`))
      }, limitMs)
      this.#waiters.add(waiter)
    })
  }
}

export function createAnswers(): Answers {
  return {
    elicit: (params) =>
      params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: fillForm(params) },
    sample: () => ({ role: 'assistant', model: 'test-model', content: { type: 'text', text: 'a thought' } }),
    roots: () => [{ uri: 'file:///home/ada/project', name: 'project' }],
  }
}

/** Fills in a form as a hurried person would: the first choice, the smallest number that is allowed. */
export function fillForm(params: Json): Json {
  const schema = params.requestedSchema as { properties: { [name: string]: Json } }
  return Object.fromEntries(Object.entries(schema.properties).map(([name, field]) => [name, fillField(field)]))
}

const FORMATTED: { [format: string]: string } = {
  email: 'ada@example.com',
  uri: 'https://example.com/ada',
  date: '1815-12-10',
  'date-time': '1815-12-10T12:00:00Z',
}

function fillField(field: Json): unknown {
  const options = optionsOf(field)
  switch (field.type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return field.minimum ?? 1
    case 'array':
      return optionsOf(field.items as Json).slice(0, 2)
    default:
      if (options.length > 0) return options[0]
      // Revisions without a choice of several ask for it as text, with the options in the description.
      if (/Any of the following/.test(String(field.description))) return 'red, green'
      return FORMATTED[String(field.format)] ?? 'Ada'
  }
}

function optionsOf(field: Json): unknown[] {
  if (Array.isArray(field.enum)) return field.enum
  const titled = field.oneOf ?? field.anyOf
  return Array.isArray(titled) ? titled.map((choice) => choice.const) : []
}

/** The number of a JSON-RPC error, under whichever name the client keeps it. */
export function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  return 'rpcCode' in error ? error.rpcCode : 'code' in error ? error.code : undefined
}

export function textOf(result: { content: Block[] }): string {
  return result.content.map((block) => block.text ?? '').join('')
}

/** The value a tool reported as JSON text. */
export function jsonOf<T = Json>(result: ToolResult): T {
  return JSON.parse(textOf(result)) as T
}
