/** The server that clients are tried with: one tool that names the call it answers, and a ledger of what it has done. */

import { serveHttp } from '../../serve/adapters/http.ts'
import { tool } from '../../server/items/definition.ts'
import { createServer, type Server } from '../../server/server.ts'

/** What a call of the tool `work` is answered with; it has characters of every UTF-8 length. */
export function answerOf(nonce: string): string {
  return `${nonce} é漢😀`
}

/**
 * A server with one tool, `work`, whose answer names the call; it is what Portico itself is tried with by `portico faults`.
 *
 * @example
 * ```ts
 * import { createWorkServer } from '@portico/sdk/testing/faults'
 * import { serveStdio } from '@portico/sdk/stdio'
 *
 * serveStdio(createWorkServer())
 * ```
 */
export function createWorkServer(onWork: (nonce: string) => void = () => {}): Server {
  const properties = { nonce: { type: 'string' }, ms: { type: 'number' } } as const
  return createServer({
    name: 'work',
    version: '1.0.0',
    tools: {
      work: tool(
        { description: 'Answers with what it is given', readOnly: true, input: { type: 'object', properties } },
        async ({ nonce = '', ms = 0 }) => {
          onWork(String(nonce))
          if (Number(ms) > 0) await new Promise((resolve) => setTimeout(resolve, Number(ms)))
          return answerOf(String(nonce))
        },
      ),
    },
  })
}

/** The same on a port, with its ledger, to be ended and started again where it was. */
export class WorkSite {
  readonly executed = new Map<string, number>()
  #http: Awaited<ReturnType<typeof serveHttp>> | undefined
  #port = 0

  get port(): number {
    return this.#port
  }

  async start(): Promise<void> {
    const server = createWorkServer((nonce) => this.executed.set(nonce, (this.executed.get(nonce) ?? 0) + 1))
    this.#http = await serveHttp(server, { port: this.#port, graceMs: 0 })
    this.#port = this.#http.port
  }

  async stop(): Promise<void> {
    await this.#http?.close()
  }
}
