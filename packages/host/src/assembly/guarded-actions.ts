/**
 * Doing things, each past the guard and back through the gate for foreign text: calls, readings, prompts, completions
 * and resources that are followed. There is one way through, `#act`; a new kind of act is another effect on it.
 */

import type {
  CallToolResult,
  Client,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  JsonObject,
  ReadResourceResult,
  RequestOptions,
} from '@portico/sdk/client'
import { callListener } from '../config/call-listener.ts'
import { hideInError } from '../config/trust/used-secrets.ts'
import { type DecisionTelemetryApi, withinSpan } from '../guard/decision-telemetry.ts'
import { admit, toClean } from '../guard/foreign-text.ts'
import type { Guard, Permit } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import type { Catalogue } from '../upstream/catalogue/catalogue.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import { type ActionResult, settle } from './act-outcome.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import type { ActOptions } from './options.ts'
import type { StartedCall, TaskCallOptions } from './tasks/task-calls.ts'
import type { TaskFollowing } from './tasks/task-following.ts'

interface GuardedActionsParts {
  readonly guard: Guard
  readonly upstreams: Upstreams
  readonly catalogue: Catalogue
  readonly inFlight: CallsInFlight
  circumstances(options: ActOptions): Circumstances
  /** Whose words are in the context of a session. */
  provenance(session: string): Provenance
  readonly telemetry?: DecisionTelemetryApi
  readonly tasks: TaskFollowing
  /** Takes secrets out of words that are shown. */
  hide(text: string): string
}

type EffectOf<Kind extends Effect['kind']> = Effect & { readonly kind: Kind }
type Send<E extends Effect, Result> = (client: Client, effect: E, options: RequestOptions) => Promise<Result>

interface Following {
  /** Absent where the server does not tell of changes. */
  readonly close?: (() => Promise<void>) | undefined
}

export class GuardedActions {
  readonly #parts: GuardedActionsParts

  constructor(parts: GuardedActionsParts) {
    this.#parts = parts
  }

  /** Calls a tool and waits for its end, also where its server makes the call a task. */
  async call(name: string, args: JsonObject, options: ActOptions = {}): Promise<ActionResult<CallToolResult>> {
    const waiting = { ...options, attendMs: Number.POSITIVE_INFINITY, task: false }
    const started = await this.callAsTask(name, args, waiting)
    if (started.task !== undefined) throw new TypeError('A task that is waited for without end was left')
    return started
  }

  /** Calls a tool; what its server makes a task, and what is not done in time, goes on by itself. */
  callAsTask(name: string, args: JsonObject, options: TaskCallOptions = {}): Promise<StartedCall> {
    return this.#traced('call', async () => {
      const effect = await this.#toCall(name, args, options)
      const permit = await this.#parts.guard.pass(effect, this.#parts.circumstances(options), options)
      const started = await this.#parts.tasks.begin(permit, options)
      if (started.task === undefined) this.#parts.catalogue.linked(effect.server, started.result)
      return started
    })
  }

  read(uri: string, options: ActOptions = {}): Promise<ActionResult<ReadResourceResult>> {
    return this.#traced('read', async () => {
      const { server, ownName } = await this.#parts.catalogue.toRead(uri, options.signal)
      const effect: EffectOf<'read'> = { kind: 'read', server, uri: ownName }
      const { result, permit } = await this.#act(effect, options, (client, permitted, request) =>
        client.readResource(permitted.uri, request),
      )
      return { result, server, arguments: {}, reason: permit.decision.reason }
    })
  }

  prompt(
    name: string,
    args: { readonly [name: string]: string },
    options: ActOptions = {},
  ): Promise<ActionResult<GetPromptResult>> {
    return this.#traced('prompt', async () => {
      const found = await this.#parts.catalogue.toPrompt(name, args, options.signal)
      const { server, ownName: prompt } = found
      const effect: EffectOf<'prompt'> = { kind: 'prompt', server, prompt, arguments: found.arguments }
      const { result, permit } = await this.#act(effect, options, (client, permitted, request) => {
        // Prompt arguments are strings on the wire; edited ones are made so.
        const words = Object.entries(permitted.arguments).map(([key, value]) => [key, String(value)])
        return client.getPrompt(prompt, Object.fromEntries(words), request)
      })
      return { result, server, arguments: permit.effect.arguments, reason: permit.decision.reason }
    })
  }

  /** What may follow while something is typed, as the server proposes it. */
  complete(server: string, params: CompleteParams, options: ActOptions = {}): Promise<CompleteResult> {
    return this.#traced('complete', async () => {
      const { ref, argument, context } = params
      const effect: EffectOf<'complete'> = {
        kind: 'complete',
        server,
        ...(ref.type === 'ref/prompt' ? { of: 'prompt', item: ref.name } : { of: 'read', item: ref.uri }),
        arguments: { ...context?.arguments, [argument.name]: argument.value },
      }
      const { result } = await this.#act(effect, options, (client, permitted, request) => {
        const { [argument.name]: value = '', ...others } = permitted.arguments
        const typed = { ...argument, value: String(value) }
        const known = Object.fromEntries(Object.entries(others).map(([name, one]) => [name, String(one)]))
        const given = context === undefined ? {} : { context: { ...context, arguments: known } }
        return client.complete({ ref, argument: typed, ...given }, request)
      })
      return result
    })
  }

  /** Tells of every change of a resource, until what comes back is called. To follow is to read, again and again. */
  subscribe(server: string, uri: string, listener: () => void, options: ActOptions = {}): Promise<() => Promise<void>> {
    return this.#traced('read', async () => {
      let close = async (): Promise<void> => {}
      await this.#act<EffectOf<'read'>, object>({ kind: 'read', server, uri }, options, async (client, permitted) => {
        const subscription = await client.subscribe(permitted.uri, () => callListener(listener))
        close = () => subscription.close()
        return {}
      })
      return close
    })
  }

  /** Reads a resource and follows it where its server tells of changes: one permission is enough for both. */
  follow(
    uri: string,
    listener: () => void,
    options: ActOptions = {},
  ): Promise<ActionResult<ReadResourceResult> & Following> {
    return this.#traced('read', async () => {
      const { server, ownName } = await this.#parts.catalogue.toRead(uri, options.signal)
      const effect: EffectOf<'read'> = { kind: 'read', server, uri: ownName }
      let close: Following['close']
      const { result, permit } = await this.#act(effect, options, async (client, permitted, request) => {
        // First, so that no change between the two goes unnoticed. A server that cannot do it is read each time.
        const subscription = await client.subscribe(permitted.uri, listener).catch(() => undefined)
        close = subscription === undefined ? undefined : () => subscription.close()
        return client.readResource(permitted.uri, request)
      }).catch(async (error) => {
        await close?.().catch(() => {})
        throw error
      })
      return { result, server, arguments: {}, reason: permit.decision.reason, close }
    })
  }

  async #toCall(name: string, args: JsonObject, { signal }: ActOptions): Promise<EffectOf<'call'>> {
    const { server, ownName, item, arguments: sent } = await this.#parts.catalogue.toCall(name, args, signal)
    const definition = item.kind === 'tool' ? item.definition : undefined
    return {
      kind: 'call',
      server,
      tool: ownName,
      arguments: sent,
      ...(definition?.annotations !== undefined && { annotations: definition.annotations }),
      trusted: this.#isTrusted(server),
    }
  }

  #traced<Result>(kind: Effect['kind'], act: () => Promise<Result>): Promise<Result> {
    const { telemetry, hide } = this.#parts
    const done = telemetry === undefined ? act() : withinSpan(telemetry, `portico.${kind}`, act)
    return done.catch((error) => {
      throw hideInError(error, hide)
    })
  }

  /** The one way to a server and back. */
  async #act<E extends Effect, Result extends object>(
    asked: E,
    options: ActOptions,
    send: Send<E, Result>,
  ): Promise<{ result: Result; permit: Permit<E> }> {
    const { guard } = this.#parts
    const circumstances = this.#parts.circumstances(options)
    const permit = await guard.pass(asked, circumstances, options)
    const result = await this.#send(permit, circumstances, options, send)
    if (permit.effect.kind === 'call') {
      // Noted by the guard, as a person has released it; the result of a call is a tool's.
      const reviewed = await guard.review(permit.effect, result as unknown as CallToolResult, circumstances, options)
      return { result: reviewed as unknown as Result, permit }
    }
    return { result: admit(result, this.#originOf(asked), this.#contextOf(circumstances)), permit }
  }

  async #send<E extends Effect, Result extends object>(
    permit: Permit<E>,
    circumstances: Circumstances,
    options: ActOptions,
    send: Send<E, Result>,
  ): Promise<Result> {
    const { upstreams, inFlight } = this.#parts
    const { effect } = permit
    const { signal, principal, onProgress } = options
    const flight = inFlight.enter(effect.server, options)
    const outcome = { origin: this.#originOf(effect), context: this.#contextOf(circumstances), signal }
    try {
      return await settle(permit, outcome, async () => {
        const client = await upstreams.client(effect.server, { principal, signal })
        return send(client, effect, {
          signal,
          relay: { owner: flight },
          ...(onProgress !== undefined && { onProgress: (progress) => callListener(onProgress, toClean(progress)) }),
        })
      })
    } finally {
      flight.end()
    }
  }

  #contextOf({ session }: Circumstances): Provenance {
    return this.#parts.provenance(session)
  }

  #originOf({ server }: Effect) {
    return { server, trusted: this.#isTrusted(server) }
  }

  #isTrusted(server: string): boolean {
    return this.#parts.upstreams.config(server)?.settings.trusted ?? false
  }
}
