/** A host with servers in this process, a model that follows a script, and a person who answers as told. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Server } from '@portico/sdk/server'
import { createHost, type Host } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { Answer, Question } from '../src/consent/question.ts'
import type { TurnEvent } from '../src/model/conversation.ts'
import { Models } from '../src/model/models.ts'
import type { Script } from '../src/model/script.ts'
import { type ScriptedProvider, startScriptedProvider } from '../src/model/script-server.ts'

export interface HostLab {
  readonly host: Host
  readonly provider: ScriptedProvider
  readonly asked: Question[]
  readonly stateDir: string
  /** What was asked, as `server:kind`, with the kind of effect for approvals. */
  questions(): string[]
  close(): Promise<void>
}

export interface HostLabOptions extends Partial<HostOptions> {
  readonly script?: Script
  readonly decide?: (question: Question) => Answer | undefined
}

export async function startHost(
  servers: { readonly [name: string]: () => Server },
  { script = { replies: [] }, decide = () => ({ action: 'allow' }), ...options }: HostLabOptions = {},
): Promise<HostLab> {
  const provider = await startScriptedProvider(script)
  const stateDir = options.stateDir ?? (await mkdtemp(join(tmpdir(), 'portico-host-')))
  const names = Object.keys(servers)
  const host = await createHost({
    stateDir,
    models: new Models({
      env: {},
      ollama: false,
      configured: [{ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: provider.url }],
    }),
    inProcess: new Map(Object.entries(servers).map(([name, make]) => [name, async () => ({ server: make() })])),
    servers: names.map((name) => defineServer(name, { kind: 'in-process', module: name, options: {} })),
    ...options,
  })
  const asked: Question[] = []
  const take = (question: Question): void => {
    asked.push(question)
    const answer = decide(question)
    if (answer !== undefined) queueMicrotask(() => host.inbox.answer(question.id, answer))
  }
  host.inbox.on((event) => event.type === 'asked' && take(event.question))
  // Servers may have begun to connect.
  for (const question of host.inbox.pending()) take(question)
  await host.catalogue.list()
  return {
    host,
    provider,
    asked,
    stateDir,
    questions: () =>
      asked.map(({ server, body }) => `${server}:${body.kind === 'approval' ? body.effect.kind : body.kind}`),
    async close() {
      await host.close()
      await provider.close()
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** One turn of a new conversation; what it told. */
export async function takeTurn(host: Host, text: string, session = 'chat'): Promise<TurnEvent[]> {
  const events: TurnEvent[] = []
  await host.converse({ session }).send(text, (event) => void events.push(event))
  return events
}

export const callOf = (events: readonly TurnEvent[], name: string) =>
  events.flatMap((event) => (event.type === 'call' && event.call.name === name ? [event.call] : [])).at(-1)
