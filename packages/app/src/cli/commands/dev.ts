/**
 * `portico dev`: serves a definition and keeps serving it while it is edited. One server stays behind the listener and
 * becomes what the file says, so that nobody is disconnected; an edit that cannot be loaded leaves the last good one.
 */

import type { Catalogue, Server } from '@portico/sdk/server'
import { type Definition, loadDefinition } from '../../definition/load.ts'
import { watchDefinition } from '../../definition/watch.ts'
import { serveUntilEnd, wishesOf } from '../gateway/serving.ts'
import { canHoldClient } from '../gateway/standard-input.ts'
import type { CommandInput } from '../parse/command.ts'
import { DEV_PORT } from '../parse/default-ports.ts'
import { SERVING_FLAGS } from '../parse/serving-flags.ts'
import type { Io } from '../terminal/io.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [file = ''] = input.positionals
  const named = Object.keys(SERVING_FLAGS).some((flag) => flag !== 'host' && input.flags[flag] !== undefined)
  const flags = named || canHoldClient(io.stdin) ? input.flags : { ...input.flags, http: DEV_PORT }
  const wishes = wishesOf(flags, io, 'dev')
  const dev = new LiveDefinition(file, await loadDefinition(file, io), io)
  const workbench = input.flags.workbench === true ? await openPage(dev.server, io) : undefined
  if (!named && wishes.http === DEV_PORT && io.stdin.isTTY !== true)
    io.say(`No client can be at standard input, so ${file} is served on port ${DEV_PORT} until a signal ends it.`)
  // Nobody who starts it without a terminal sees an address, and would take silence for nothing.
  if (wishes.stdio)
    io.say(
      `Serving ${file} on the standard streams, to the client that started this; \`--http ${DEV_PORT}\` serves it on a port.`,
    )
  try {
    await serveUntilEnd(dev.server, wishes, io, {
      json: input.json,
      note: `Edit ${file}: changes take effect with the next call.${workbench === undefined ? '' : `\nWorkbench: ${workbench.url}`}`,
    })
  } finally {
    await workbench?.close()
    await dev.close()
  }
  return 0
}

class LiveDefinition {
  /** Stays what is served, whatever the file becomes. */
  readonly server: Server
  readonly #file: string
  readonly #io: Io
  readonly #watch: ReturnType<typeof watchDefinition>
  #current: Definition
  #work: Promise<void> = Promise.resolve()

  constructor(file: string, first: Definition, io: Io) {
    this.#file = file
    this.#io = io
    this.#current = first
    this.server = first.server
    this.#watch = watchDefinition(first.files, () => {
      // One edit after the other: a slow one must not overtake a later one.
      this.#work = this.#work.then(() => this.#reload())
    })
  }

  async close(): Promise<void> {
    this.#watch.close()
    await this.#work
    await this.#current.close()
  }

  async #reload(): Promise<void> {
    const { paint } = this.#io
    const before = this.server.catalogue()
    try {
      const next = await loadDefinition(this.#file, this.#io)
      const last = this.#current
      this.server.adopt(next.server)
      this.#current = next
      this.#watch.follow(next.files)
      this.#io.say(`${paint.green('reloaded')} ${this.#file}: ${describeChange(before, this.server.catalogue())}`)
      await last.close()
    } catch (error) {
      const { toCliError } = await import('../failure.ts')
      const { message, remedy = '' } = toCliError(error, this.#io)
      this.#io.say(`${paint.red('not reloaded')}: ${message}. The last version stays.\n  ${remedy}`)
    }
  }
}

function describeChange(before: Catalogue, after: Catalogue): string {
  const parts = [
    ...differences(namesOf(before.tools), namesOf(after.tools), 'tool'),
    ...differences(namesOf(before.prompts), namesOf(after.prompts), 'prompt'),
    ...differences(urisOf(before), urisOf(after), 'resource'),
  ]
  return parts.length === 0 ? 'tools, prompts and resources unchanged' : parts.join(', ')
}

function differences(before: Map<string, string>, after: Map<string, string>, noun: string): string[] {
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${noun} ${name} added`)
  const removed = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${noun} ${name} removed`)
  const changed = [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text)
  return [...added, ...removed, ...changed.map(([name]) => `${noun} ${name} changed`)]
}

function namesOf(items: readonly { readonly name: string }[]): Map<string, string> {
  return new Map(items.map((item) => [item.name, JSON.stringify(item)]))
}

function urisOf({ resources, resourceTemplates }: Catalogue): Map<string, string> {
  return new Map([
    ...resources.map((item) => [item.uri, JSON.stringify(item)] as const),
    ...resourceTemplates.map((item) => [item.uriTemplate, JSON.stringify(item)] as const),
  ])
}

async function openPage(server: Server, io: Io): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { openWorkbenchWith, showPage } = await import('../workbench.ts')
  const workbench = await openWorkbenchWith(server, io)
  await showPage(workbench.url, io.interactive, io)
  return workbench
}
