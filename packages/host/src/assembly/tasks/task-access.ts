/** How a host asks servers for the tasks that it keeps, and judges what they say of them. */

import type { CallToolResult, ToolRun } from '@portico/sdk/client'
import { HostError } from '../../errors.ts'
import type { Guard } from '../../guard/guard.ts'
import type { Provenance } from '../../guard/provenance.ts'
import type { Circumstances, Effect } from '../../policy/effect.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { CallsInFlight } from '../calls-in-flight.ts'
import { DEFAULT_SESSION } from '../circumstances.ts'
import type { ActOptions } from '../options.ts'
import type { Attendance } from './attendance.ts'
import type { KeptTask } from './task-book.ts'

export type CallEffect = Effect & { readonly kind: 'call' }

export interface AccessParts {
  readonly guard: Guard
  readonly upstreams: Upstreams
  readonly inFlight: CallsInFlight
  circumstances(options: ActOptions): Circumstances
  provenance(session: string): Provenance
}

export class TaskAccess {
  readonly #parts: AccessParts

  constructor(parts: AccessParts) {
    this.#parts = parts
  }

  /** The run of a kept task, at the very server that gave out its id: no other one is told of it. */
  async open(kept: KeptTask, attendance: Attendance): Promise<{ readonly run: ToolRun; end(): void }> {
    const { server, identity, taskId } = kept
    if (this.identityOf(server) !== identity) {
      const message = `"${server}" is configured otherwise since the task began, and is not asked for it`
      throw new HostError('unknown-server', message, { data: { server } })
    }
    const flight = this.#parts.inFlight.enter(server, attendance.act)
    try {
      const client = await this.#parts.upstreams.client(server, { signal: attendance.signal })
      const run = await client.resumeTask(taskId, { signal: attendance.signal, relay: { owner: flight } })
      return { run, end: () => flight.end() }
    } catch (error) {
      flight.end()
      throw error
    }
  }

  /** What the rules say of a result by now. */
  async review({ server, tool, call }: KeptTask, result: CallToolResult, options: ActOptions): Promise<CallToolResult> {
    const session = options.session ?? call?.session
    const byModel = call?.byModel ?? true
    const effect: CallEffect = {
      kind: 'call',
      server,
      tool,
      arguments: call?.arguments ?? {},
      trusted: this.#isTrusted(server),
    }
    const circumstances = this.#parts.circumstances({ ...options, session, byModel })
    return this.#parts.guard.review(effect, result, circumstances, { ...options, late: true })
  }

  /** Where a result comes from and goes to, for those who settle it. */
  outcomeOf({ server }: { readonly server: string }, { session = DEFAULT_SESSION, signal }: ActOptions) {
    const origin = { server, trusted: this.#isTrusted(server) }
    return { origin, context: this.#parts.provenance(session), signal }
  }

  identityOf(server: string): string | undefined {
    return this.#parts.upstreams.config(server)?.fingerprint
  }

  #isTrusted(server: string): boolean {
    return this.#parts.upstreams.config(server)?.settings.trusted ?? false
  }
}
