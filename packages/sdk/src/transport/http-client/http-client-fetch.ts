/** The client's HTTP over `fetch`, for runtimes without node:http and for callers who bring their own. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { BodySink, FetchFunction, HttpDialer, HttpOutcome, HttpRequest } from './http-client.ts'

export function createFetchDialer(fetch: FetchFunction): HttpDialer {
  const open = new Set<AbortController>()
  return {
    request(request, outcome) {
      const controller = new AbortController()
      open.add(controller)
      const finished = () => open.delete(controller)
      void run(fetch, request, outcome, { signal: controller.signal, finished })
      return {
        abort() {
          finished()
          controller.abort()
        },
      }
    },
    close() {
      for (const controller of open) controller.abort()
      open.clear()
    },
  }
}

async function run(
  fetch: FetchFunction,
  { method, url, headers, body }: HttpRequest,
  outcome: HttpOutcome,
  { signal, finished }: { readonly signal: AbortSignal; readonly finished: () => void },
): Promise<void> {
  let response: Response
  try {
    // Redirects are judged by the caller: one to another origin must not carry what was meant for this one.
    response = await fetch(url.href, { method, headers, body, signal, redirect: 'manual' })
  } catch (cause) {
    finished()
    // `fetch` does not tell a refused connection from one lost later, so delivery stays open.
    if (!signal.aborted) outcome.failed(lost(cause, url.host))
    return
  }
  if (signal.aborted) return
  outcome.answered({
    // Browsers hide the status of a redirect that they did not follow.
    status: response.type === 'opaqueredirect' ? 302 : response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    read: (sink) => void pump(response, sink, signal, finished),
  })
}

async function pump(response: Response, sink: BodySink, signal: AbortSignal, finished: () => void): Promise<void> {
  let failure: PorticoError | undefined
  try {
    const reader = response.body?.getReader()
    while (reader !== undefined) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) break
      sink.data(value)
    }
  } catch (cause) {
    failure = lost(cause)
  }
  finished()
  if (!signal.aborted) sink.end(failure)
}

function lost(cause: unknown, host?: string): PorticoError {
  const to = host === undefined ? '' : ` to ${host}`
  return new PorticoError('closed', `The connection${to} was lost or could not be made`, { cause, delivery: 'unknown' })
}
