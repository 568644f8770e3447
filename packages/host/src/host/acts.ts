/**
 * Doing things, each past the guard: calls, readings, prompts. What comes back is made safe to show and remembered as
 * the server's, so that it does not wander to another unasked.
 */

import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  ContentBlock,
  GetPromptResult,
  JsonObject,
  ReadResourceResult,
} from '@portico/sdk/client'
import { type DecisionTelemetryApi, withinSpan } from '../guard/decision-telemetry.ts'
import type { Guard, Permit } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import type { Catalogue } from '../upstream/catalogue.ts'
import { neutralise } from '../upstream/text.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import type { ActOptions } from './options.ts'

export interface Done<Result> {
  readonly result: Result
  readonly server: string
  /** As they were sent: a person may have edited them. */
  readonly arguments: JsonObject
  /** Why it was let through. */
  readonly reason: string
}

export interface ActsParts {
  readonly guard: Guard
  readonly upstreams: Upstreams
  readonly catalogue: Catalogue
  readonly inFlight: CallsInFlight
  circumstances(options: ActOptions): Circumstances
  /** Whose words are in the context of a session. */
  provenance(session: string): Provenance
  readonly telemetry?: DecisionTelemetryApi
}

export class Acts {
  readonly #parts: ActsParts

  constructor(parts: ActsParts) {
    this.#parts = parts
  }

  call(name: string, args: JsonObject, options: ActOptions = {}): Promise<Done<CallToolResult>> {
    return this.#traced('call', () => this.#call(name, args, options))
  }

  read(uri: string, options: ActOptions = {}): Promise<Done<ReadResourceResult>> {
    return this.#traced('read', () => this.#read(uri, options))
  }

  prompt(
    name: string,
    args: { readonly [name: string]: string },
    options: ActOptions = {},
  ): Promise<Done<GetPromptResult>> {
    return this.#traced('prompt', () => this.#prompt(name, args, options))
  }

  /** What may follow while something is typed. Proposals only: nothing is decided by them. */
  async complete(server: string, params: CompleteParams, options: ActOptions = {}): Promise<CompleteResult> {
    const client = await this.#parts.upstreams.client(server, { signal: options.signal })
    return client.complete(params, { signal: options.signal })
  }

  #traced<Result>(kind: Effect['kind'], act: () => Promise<Result>): Promise<Result> {
    const { telemetry } = this.#parts
    return telemetry === undefined ? act() : withinSpan(telemetry, `portico.${kind}`, act)
  }

  async #call(name: string, args: JsonObject, options: ActOptions): Promise<Done<CallToolResult>> {
    const { guard, catalogue, upstreams } = this.#parts
    const found = await catalogue.toCall(name, args, options.signal)
    const { server, ownName: tool } = found
    const circumstances = this.#parts.circumstances(options)
    const definition = found.item.kind === 'tool' ? found.item.definition : undefined
    const effect = {
      kind: 'call',
      server,
      tool,
      arguments: found.arguments,
      ...(definition?.annotations !== undefined && { annotations: definition.annotations }),
      trusted: upstreams.view(server)?.config.settings.trusted ?? false,
    } as const
    const permit = await guard.pass<Effect & { kind: 'call' }>(effect, circumstances, options)
    const sent = permit.effect.arguments
    const result = await this.#perform(permit, server, options, async () => {
      const client = await upstreams.client(server, { principal: options.principal, signal: options.signal })
      const { signal, onProgress } = options
      return withSafeText(await client.callTool(tool, sent, { signal, onProgress }))
    })
    const reviewed = await guard.review(permit.effect, result, circumstances, options)
    catalogue.linked(server, reviewed)
    return { result: reviewed, server, arguments: sent, reason: permit.decision.reason }
  }

  async #read(uri: string, options: ActOptions): Promise<Done<ReadResourceResult>> {
    const { guard, catalogue, upstreams } = this.#parts
    const { server, ownName } = await catalogue.toRead(uri, options.signal)
    const circumstances = this.#parts.circumstances(options)
    const permit = await guard.pass({ kind: 'read', server, uri: ownName }, circumstances, options)
    const result = await this.#perform(permit, server, options, async () => {
      const client = await upstreams.client(server, { principal: options.principal, signal: options.signal })
      const read = await client.readResource(ownName, { signal: options.signal })
      const contents = read.contents.map((one) => ('text' in one ? { ...one, text: neutralise(one.text).text } : one))
      return { ...read, contents }
    })
    this.#note(circumstances, server, result)
    return { result, server, arguments: {}, reason: permit.decision.reason }
  }

  async #prompt(
    name: string,
    args: { readonly [name: string]: string },
    options: ActOptions,
  ): Promise<Done<GetPromptResult>> {
    const { guard, catalogue, upstreams } = this.#parts
    const found = await catalogue.toPrompt(name, args, options.signal)
    const { server, ownName: prompt } = found
    const circumstances = this.#parts.circumstances(options)
    const effect = { kind: 'prompt', server, prompt, arguments: found.arguments } as const
    const permit = await guard.pass<Effect & { kind: 'prompt' }>(effect, circumstances, options)
    const result = await this.#perform(permit, server, options, async () => {
      const client = await upstreams.client(server, { principal: options.principal, signal: options.signal })
      // Prompt arguments are strings on the wire; edited ones are made so.
      const words = Object.entries(permit.effect.arguments).map(([key, value]) => [key, String(value)])
      const got = await client.getPrompt(prompt, Object.fromEntries(words), { signal: options.signal })
      return { ...got, messages: got.messages.map((message) => ({ ...message, content: safeBlock(message.content) })) }
    })
    this.#note(circumstances, server, result)
    return { result, server, arguments: permit.effect.arguments, reason: permit.decision.reason }
  }

  /** What a server has said is in the conversation from now on, under its name. */
  #note({ session }: Circumstances, server: string, value: unknown): void {
    const trusted = this.#parts.upstreams.view(server)?.config.settings.trusted ?? false
    this.#parts.provenance(session).note(server, value, { trusted })
  }

  async #perform<Result>(
    permit: Permit,
    server: string,
    options: ActOptions,
    act: () => Promise<Result>,
  ): Promise<Result> {
    const landed = this.#parts.inFlight.enter(server, options)
    try {
      const result = await act()
      permit.finish((result as { isError?: boolean }).isError === true ? 'error' : 'ok')
      return result
    } catch (error) {
      permit.finish(options.signal?.aborted ? 'cancelled' : 'error', error instanceof Error ? error.message : undefined)
      throw error
    } finally {
      landed()
    }
  }
}

function withSafeText(result: CallToolResult): CallToolResult {
  return { ...result, content: result.content.map(safeBlock) }
}

/** Hidden and misleading characters are made visible; everything else stays as the server wrote it. */
function safeBlock<Block extends ContentBlock>(block: Block): Block {
  if (block.type === 'text') return { ...block, text: neutralise(block.text).text }
  if (block.type === 'resource' && 'text' in block.resource) {
    return { ...block, resource: { ...block.resource, text: neutralise(block.resource.text).text } }
  }
  return block
}
