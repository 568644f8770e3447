/** The scripted model as a provider on loopback: real HTTP for the tests of programs that use models, without a key. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createScriptedModel, type Script, type ScriptedRequest } from './script.ts'

/** A scripted model that listens on a port of this machine. */
export interface ScriptedProvider {
  /** For `baseUrl`. */
  readonly url: string
  readonly requests: ScriptedRequest[]
  close(): Promise<void>
}

/**
 * Starts a scripted model as an HTTP server on a free port of this machine, for programs that take the URL of a
 * provider.
 *
 * @example
 * ```ts
 * import { Models, startScriptedProvider } from '@portico/host/model'
 *
 * const { url, close } = await startScriptedProvider({ replies: [{ text: 'Hello.' }] })
 * const models = new Models({ env: {}, ollama: false })
 * models.add({ id: 'demo', provider: 'openai-compatible', model: 'scripted', baseUrl: url })
 * await close()
 * ```
 */
export async function startScriptedProvider(script: Script): Promise<ScriptedProvider> {
  const scripted = createScriptedModel(script)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const body = chunks.length === 0 ? undefined : Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', 'http://provider')
    const answer = await scripted.fetch(url, { method: request.method, body, signal: gone.signal })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk)
    } catch {
      // The reader left in the middle of an endless answer.
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: scripted.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
