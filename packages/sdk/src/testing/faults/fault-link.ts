/** A server under faults as its client sees it: the connection, the proxy on the way where there is a network, and calls. */

import type { Client } from '../../client/client.ts'
import { connect } from '../../connect/connect.ts'
import type { CommandTarget, ConnectOptions } from '../../connect/options.ts'
import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { type Account, createAccount } from './account.ts'
import { FaultProxy } from './proxy.ts'

/** A server that anybody wrote: where it is, and which of its tools may be called many times. */
export interface FaultSubject {
  readonly target: string | CommandTarget
  readonly tool: string
  readonly args: JsonObject
  readonly connect?: ConnectOptions
  /** How long one call may take. */
  readonly timeoutMs: number
}

export class FaultLink {
  readonly client: Client
  /** Undefined for a command. */
  readonly proxy: FaultProxy | undefined
  readonly #subject: FaultSubject

  private constructor(client: Client, proxy: FaultProxy | undefined, subject: FaultSubject) {
    this.client = client
    this.proxy = proxy
    this.#subject = subject
  }

  static async open(subject: FaultSubject): Promise<FaultLink> {
    const { target } = subject
    const proxy = typeof target === 'string' ? await openProxy(new URL(target)) : undefined
    try {
      const where = typeof target === 'string' ? behind(proxy, target) : target
      const options = { negotiations: false as const, ...subject.connect }
      return new FaultLink(await connect(where, options), proxy, subject)
    } catch (error) {
      await proxy?.close()
      throw error
    }
  }

  get process(): number {
    return this.client.process?.pid ?? 0
  }

  /** So many calls at once, each counted by its end. `mayTimeOut` where only time can tell of the fault. */
  async call(
    count: number,
    options: { signals?: readonly AbortSignal[]; mayTimeOut?: boolean } = {},
  ): Promise<Account> {
    const account = createAccount()
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        account.sent++
        account[await this.#follow(options.signals?.[index], options.mayTimeOut === true)]++
      }),
    )
    return account
  }

  async close(): Promise<void> {
    await this.client.close()
    await this.proxy?.close()
  }

  async #follow(signal: AbortSignal | undefined, mayTimeOut: boolean): Promise<keyof Account> {
    const { tool, args, timeoutMs } = this.#subject
    let timer: ReturnType<typeof setTimeout> | undefined
    const hang = new Promise<'hung'>((resolve) => {
      timer = setTimeout(() => resolve('hung'), timeoutMs * 1.5)
    })
    const call = this.client.callTool(tool, args, { timeoutMs, ...(signal && { signal }) }).then(
      (): keyof Account => 'answered',
      (error: unknown): keyof Account => {
        // An error is an answer, too: it came from the server, and to this call.
        if (error instanceof RpcError) return 'answered'
        if (!(error instanceof PorticoError)) return 'lost'
        if (error.code === 'timeout') return mayTimeOut ? 'failed' : 'hung'
        return error.code === 'invalid-message' ? 'wrong' : 'failed'
      },
    )
    return Promise.race([call, hang]).finally(() => clearTimeout(timer))
  }
}

/** The server must not see that it is spoken to through a proxy: it is named in the header as it was typed. */
async function openProxy(url: URL): Promise<FaultProxy> {
  const tls = url.protocol === 'https:'
  const port = Number(url.port) || (tls ? 443 : 80)
  const proxy = await FaultProxy.open({ host: url.hostname.replace(/^\[|\]$/g, ''), port, tls })
  proxy.rewrite = (bytes) => {
    const text = bytes.toString('latin1')
    const renamed = text.replace(/\r\nhost: [^\r\n]*/i, `\r\nhost: ${url.host}`)
    return renamed === text ? bytes : Buffer.from(renamed, 'latin1')
  }
  return proxy
}

function behind(proxy: FaultProxy | undefined, target: string): string {
  const url = new URL(target)
  return `http://127.0.0.1:${proxy?.port}${url.pathname}${url.search}`
}
