/**
 * A model that says what a script tells it to, behind the interface of an OpenAI-compatible provider: for tests, for
 * the tour of the workbench, and wherever the real loop should run without a key. It answers real requests with real
 * event streams; only the words are settled beforehand.
 */

import { setTimeout as pause } from 'node:timers/promises'

/** One answer. The n-th answer replies to a conversation with n − 1 answers in it, so that retries get the same. */
export interface ScriptedReply {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly arguments: { readonly [name: string]: unknown } }[]
  /** Fails this many times first. */
  readonly failure?: { readonly status: number; readonly message: string; readonly times: number }
  readonly tokens?: { readonly input: number; readonly output: number }
  /** Streams the text until cancelled instead of ending it. */
  readonly endless?: boolean
}

/** What a scripted model says, answer by answer. */
export interface Script {
  readonly replies: readonly ScriptedReply[]
  /** Said when the script is over. */
  readonly afterwards?: string
  /** Chosen by the last user message, where it contains the key; `replies` otherwise. Counts from that message on. */
  readonly topics?: { readonly [words: string]: readonly ScriptedReply[] }
  /** Milliseconds between two pieces of text. */
  readonly paceMs?: number
}

/** A request that a scripted model was sent, in the words of OpenAI's chat protocol. */
export interface ScriptedRequest {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly tools?: readonly unknown[]
  readonly temperature?: number
  readonly stop?: unknown
  readonly max_tokens?: number
}

/**
 * Makes a model for tests and demonstrations that says what a script tells it to: a `fetch` that answers in place of an
 * OpenAI-compatible provider, whatever host is asked. `requests` is what it has been asked so far.
 *
 * @example
 * ```ts
 * import { createScriptedModel, Models } from '@portico/host/model'
 *
 * const script = createScriptedModel({ replies: [{ text: 'Hello.' }] })
 * const models = new Models({ env: {}, ollama: false })
 * models.add({ id: 'demo', provider: 'openai-compatible', model: 'demo', baseUrl: 'http://demo.invalid' }, script.fetch)
 * ```
 */
export function createScriptedModel(script: Script): {
  readonly fetch: typeof fetch
  readonly requests: ScriptedRequest[]
} {
  const requests: ScriptedRequest[] = []
  const failures = new Map<ScriptedReply, number>()
  const answer: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.pathname.endsWith('/models'))
      return Response.json({ object: 'list', data: [{ id: 'scripted', object: 'model' }] })
    if (!url.pathname.endsWith('/chat/completions'))
      return Response.json({ error: { message: 'Not found' } }, { status: 404 })
    // The model library makes the body; a stranger who sends something else gets what it deserves.
    const request = JSON.parse(String(init?.body)) as ScriptedRequest & { stream?: boolean }
    requests.push(request)
    const reply = findReply(script, request)
    const failed = failures.get(reply) ?? 0
    if (reply.failure !== undefined && failed < reply.failure.times) {
      failures.set(reply, failed + 1)
      const { status, message } = reply.failure
      return Response.json({ error: { message, type: 'scripted' } }, { status, headers: { 'retry-after-ms': '5' } })
    }
    const { signal } = init ?? {}
    return request.stream === true ? streamed(reply, script.paceMs ?? 0, signal ?? undefined) : whole(reply)
  }
  return { fetch: answer, requests }
}

function findReply(script: Script, { messages }: ScriptedRequest): ScriptedReply {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const words = JSON.stringify(messages[lastUser]?.content ?? '')
  const topic = Object.entries(script.topics ?? {}).find(([key]) => words.includes(key))
  const replies = topic?.[1] ?? script.replies
  const counted = topic === undefined ? messages : messages.slice(lastUser + 1)
  const said = counted.filter(({ role }) => role === 'assistant').length
  return replies[said] ?? { text: script.afterwards ?? 'The script is over.' }
}

function whole(reply: ScriptedReply): Response {
  const calls = toolCalls(reply)
  const message = { role: 'assistant', content: reply.text ?? null, ...(calls.length > 0 && { tool_calls: calls }) }
  const choice = { index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }
  return Response.json({ ...head(), object: 'chat.completion', choices: [choice], usage: usage(reply) })
}

function streamed(reply: ScriptedReply, paceMs: number, signal: AbortSignal | undefined): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (data: unknown): void => controller.enqueue(encoder.encode(`data: ${JSON.stringify(data)}\n\n`))
      const chunk = (delta: object, finish: string | null = null): void =>
        send({ ...head(), object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })
      try {
        chunk({ role: 'assistant' })
        do {
          for (const piece of (reply.text ?? '').match(/\S+\s*/g) ?? []) {
            signal?.throwIfAborted()
            chunk({ content: piece })
            if (paceMs > 0 || reply.endless === true) await pause(Math.max(paceMs, 1))
          }
        } while (reply.endless === true)
        const calls = toolCalls(reply)
        for (const [index, call] of calls.entries()) chunk({ tool_calls: [{ index, ...call }] })
        chunk({}, calls.length > 0 ? 'tool_calls' : 'stop')
        send({ ...head(), object: 'chat.completion.chunk', choices: [], usage: usage(reply) })
        controller.enqueue(encoder.encode('data: [DONE]\n\n'))
        controller.close()
      } catch (error) {
        controller.error(error)
      }
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

function toolCalls(reply: ScriptedReply): object[] {
  return (reply.calls ?? []).map(({ name, arguments: args }) => ({
    id: `call_${crypto.randomUUID()}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
}

function head(): object {
  return { id: 'scripted', created: 0, model: 'scripted' }
}

function usage(reply: ScriptedReply): object {
  const { input = 10, output = 5 } = reply.tokens ?? {}
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}
