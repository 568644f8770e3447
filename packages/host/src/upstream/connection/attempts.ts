/**
 * Attempts to connect to one server: waits until one may be made, has it permitted, finds out what to start or dial, and
 * connects. Whether to try again is for `retry.ts`.
 */

import type { Client } from '@portico/sdk/client'
import type { ServerConfig } from '../../config/server-config.ts'
import { HostError } from '../../errors.ts'
import type { AttemptEnd, SupervisionOptions } from '../supervision.ts'
import type { ConnectionRequest } from '../upstream.ts'
import { isOwn, type UpstreamConnection } from './connection.ts'
import { requireProgram } from './program.ts'
import { type InProcessServer, type ResolvedTarget, resolvePlainly } from './resolve.ts'
import { abortable, pause, within } from './waiting.ts'

interface AttemptParts {
  readonly options: SupervisionOptions
  config(): ServerConfig
  /** An attempt begins, or waits to be permitted first. */
  starting(request: ConnectionRequest, awaits?: 'permission'): void
  /** Why an attempt failed, in one line. */
  explain(error: unknown): string
  connected(connection: UpstreamConnection): void
}

export class Attempts {
  readonly #parts: AttemptParts
  /** Keys of the connections that were permitted; a lost one is restored without asking again. */
  readonly #admitted = new Set<string>()
  #local: Promise<InProcessServer> | undefined

  constructor(parts: AttemptParts) {
    this.#parts = parts
  }

  /** Connects after `waitMs`; rejects when the connection is ended meanwhile. */
  async connect(connection: UpstreamConnection, waitMs: number): Promise<Client> {
    const { options, config, starting, connected, explain } = this.#parts
    const { request, key } = connection
    const { signal } = connection.ending
    if (waitMs > 0) await pause(waitMs, signal)
    let end: AttemptEnd | undefined
    if (options.admit !== undefined && !this.#admitted.has(key)) {
      starting(request, 'permission')
      end = (await abortable(options.admit(config(), request, signal), signal)) ?? undefined
      this.#admitted.add(key)
    }
    try {
      const client = await this.#open(connection)
      end?.('ok')
      connected(connection)
      return client
    } catch (error) {
      end?.(signal.aborted ? 'cancelled' : 'error', explain(error))
      throw error
    }
  }

  async #open(connection: UpstreamConnection): Promise<Client> {
    const { request, ending } = connection
    this.#parts.starting(request)
    const { startMs } = this.#parts.config().settings
    const found = await abortable(within(this.#target(request), startMs), ending.signal)
    const client = await connection.open(found.target, found.options ?? {}, isOwn(request))
    if (ending.signal.aborted) {
      await client.close()
      throw new HostError('closed', 'The connection was ended while it was being made')
    }
    return client
  }

  /** A connection with this key has to be permitted again. */
  revoke(key: string): void {
    this.#admitted.delete(key)
  }

  /** Every connection has to be permitted again. */
  revokeAll(): void {
    this.#admitted.clear()
  }

  /** The next connection to a server in this process gets a new one. Returns what closes the present one. */
  dropLocal(): () => Promise<void> {
    const local = this.#local
    this.#local = undefined
    return async () => {
      await local?.then((one) => one.close?.()).catch(() => {})
    }
  }

  async #target(request: ConnectionRequest): Promise<ResolvedTarget> {
    const { options } = this.#parts
    const config = this.#parts.config()
    const { target } = config
    const make = target.kind === 'in-process' ? options.inProcess?.get(target.module) : undefined
    if (target.kind !== 'in-process' || make === undefined) {
      const resolved = await (options.resolve ?? resolvePlainly)(config, request)
      await requireProgram(resolved.target)
      return resolved
    }
    this.#local ??= make(target.options)
    this.#local.catch(() => {
      this.#local = undefined
    })
    return { target: (await this.#local).server }
  }
}
