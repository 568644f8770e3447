/**
 * A user agent for command lines and desktops (RFC 8252, 7.3): opens the system's browser, and waits on a port of this
 * machine for the person to come back. Prints the address where there is no browser to open. Node only.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBrowser } from './open-browser.ts'
import { checkPageUrl, type UserAgent } from './user-agent.ts'

/** Where the browser comes back to after signing in. */
export interface LoopbackOptions {
  /** A fixed port, where the client is registered with one; any free one unless given. */
  readonly port?: number
  /** `/callback` unless given. */
  readonly path?: string
  /** The name of this machine in the redirect URI. Some authorization servers know only `localhost`. */
  readonly host?: '127.0.0.1' | 'localhost' | '[::1]'
  /** Shows the page, in the system's browser unless given. Where it resolves to false, the address is printed. */
  readonly openPage?: (page: URL, added?: readonly string[]) => Promise<boolean>
  /** Says where to go when nothing could be opened. Writes to standard error unless given. */
  readonly print?: (message: string) => void
}

/**
 * Makes the browser of this machine the place to sign in, and takes what comes back at a local address.
 *
 * @example
 * ```ts
 * import { createLoopbackUserAgent } from '@portico/sdk/auth-node'
 * import { authorizationCode } from '@portico/sdk/auth'
 *
 * const grant = authorizationCode({ userAgent: createLoopbackUserAgent(), clientName: 'My program' })
 * ```
 */
export function createLoopbackUserAgent(options: LoopbackOptions = {}): UserAgent {
  return new LoopbackUserAgent(options)
}

class LoopbackUserAgent implements UserAgent {
  readonly #options: Required<LoopbackOptions>
  #server: Server | undefined
  #expected: { readonly state: string; readonly resolve: (params: URLSearchParams) => void } | undefined

  constructor(options: LoopbackOptions) {
    const print = (message: string) => process.stderr.write(`${message}\n`)
    this.#options = { port: 0, path: '/callback', host: '127.0.0.1', openPage: openBrowser, print, ...options }
  }

  async redirectUri(): Promise<string> {
    const { port, host, path } = this.#options
    this.#server ??= await listen(port, host, (req, res) => this.#called(req, res))
    // A server on a port has an address of this kind.
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`
  }

  async open(page: URL, signal: AbortSignal, added?: readonly string[]): Promise<URLSearchParams> {
    const { openPage, print } = this.#options
    const { href } = checkPageUrl(page.href)
    // From here on somebody waits, which is reason enough for the process to go on.
    this.#server?.ref()
    const answer = new Promise<URLSearchParams>((resolve, reject) => {
      this.#expected = { state: page.searchParams.get('state') ?? '', resolve }
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    const why = added === undefined ? 'sign in' : 'allow more'
    if (!(await openPage(page, added).catch(() => false))) print(`Open this page to ${why}:\n\n  ${href}\n`)
    return answer
  }

  close(): void {
    this.#expected = undefined
    this.#server?.close()
    this.#server?.closeAllConnections()
    this.#server = undefined
  }

  /** Takes the one answer that belongs to this sign-in; whatever else knocks is sent away, and the wait goes on. */
  #called(req: IncomingMessage, res: ServerResponse): void {
    const url = new URL(req.url ?? '/', 'http://localhost')
    const expected = this.#expected
    if (req.method !== 'GET' || url.pathname !== this.#options.path) answer(res, 404, 'There is nothing here.')
    else if (expected === undefined || url.searchParams.get('state') !== expected.state)
      answer(res, 400, 'This sign-in is not expected, or is over.')
    else {
      this.#expected = undefined
      answer(res, 200, 'You can close this page and go back to the program.')
      res.once('close', () => expected.resolve(url.searchParams))
    }
  }
}

function answer(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    // The address of this page holds the code.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  res.end(`<!doctype html><title>Sign-in</title><p>${message}</p>`)
}

function listen(
  port: number,
  host: string,
  handle: (req: IncomingMessage, res: ServerResponse) => void,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000 }, handle)
    server.once('error', reject)
    server.listen(port, host === '[::1]' ? '::1' : host, () => {
      server.off('error', reject)
      server.unref()
      resolve(server)
    })
  })
}
