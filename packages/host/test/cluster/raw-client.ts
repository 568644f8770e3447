/** A client of the older revisions that says by itself to which replica each request goes. */

export interface RawSession {
  readonly id: string
  readonly headers: { readonly [name: string]: string }
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

let lastId = 0

export async function openSession(url: string, own: { readonly [name: string]: string } = {}): Promise<RawSession> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'raw', version: '1' },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'open', method: 'initialize', params })
  const answer = await fetch(url, { method: 'POST', headers: { ...JSON_HEADERS, ...own }, body })
  const id = answer.headers.get('mcp-session-id')
  if (!answer.ok || id === null) throw new Error(`initialize: ${answer.status} ${await answer.text()}`)
  await answer.text()
  const session = { id, headers: { ...own, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' } }
  const ready = await send(url, session, { method: 'notifications/initialized' })
  if (ready.status !== 202) throw new Error(`initialized: ${ready.status}`)
  return session
}

/** Sends a message; a request gets an id. */
export function send(url: string, { headers }: RawSession, message: object, signal?: AbortSignal): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return fetch(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers }, body, ...(signal && { signal }) })
}

/** Sends a request and reads its one JSON answer. */
export async function ask(url: string, session: RawSession, method: string, params: object = {}): Promise<Asked> {
  const answer = await send(url, session, { id: ++lastId, method, params })
  const text = await answer.text()
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const message = isStream ? (messagesIn(text).at(-1) ?? {}) : text === '' ? {} : JSON.parse(text)
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), message }
}

export interface Asked {
  readonly status: number
  readonly retryAfter: string | null
  readonly message: Said
}

/** The text of a tool's answer. */
export async function callTool(url: string, session: RawSession, name: string, meta?: object): Promise<string> {
  const { message } = await ask(url, session, 'tools/call', { name, arguments: {}, ...(meta && { _meta: meta }) })
  return message.result?.content[0]?.text ?? JSON.stringify(message)
}

/** A call of the newest revision, which has no session. */
export async function callModern(url: string, name: string): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: {}, _meta }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
  const { message } = await ask(url, { id: '', headers }, 'tools/call', params)
  return message.result?.content[0]?.text ?? JSON.stringify(message)
}

/** A message as far as tests look into it. */
export interface Said {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly uri?: string; readonly requestState?: string }
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly requestState?: string }
  readonly error?: { readonly message: string; readonly data?: unknown }
}

/** Opens the stream of a session, or goes on with one. */
export function listen(url: string, { headers }: RawSession, after?: string, signal?: AbortSignal): Promise<Response> {
  const own = { ...headers, accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) }
  return fetch(url, { headers: own, ...(signal && { signal }) })
}

export interface ReadEvent {
  readonly id?: string
  readonly data?: Said
}

/** Reads events until one is what is wanted; rejects when the stream ends before. */
export async function readUntil(
  answer: Response,
  isWanted: (event: ReadEvent) => boolean,
): Promise<readonly ReadEvent[]> {
  const found: ReadEvent[] = []
  const decoder = new TextDecoder()
  let text = ''
  const reader = answer.body?.getReader()
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) throw new Error(`The stream ended after ${JSON.stringify(found)}`)
    text += decoder.decode(value, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) {
      const event = toEvent(part)
      found.push(event)
      if (isWanted(event)) {
        reader?.releaseLock()
        return found
      }
    }
  }
}

function messagesIn(text: string): Said[] {
  return text.split('\n\n').flatMap((part) => toEvent(part).data ?? [])
}

function toEvent(part: string): ReadEvent {
  const member = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(part)?.[1]
  const id = member('id')
  const data = member('data')
  return { ...(id !== undefined && { id }), ...(data && { data: JSON.parse(data) }) }
}
