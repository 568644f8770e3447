/** `portico chat`: a conversation in the terminal, or one answer for a script. The turns themselves are `chat-turn.ts`. */

import type { Host, TaskArrival } from '@portico/host'
import type { Conversation, Models } from '@portico/host/model'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { type Chat, runChatCommand } from '../chat/chat-commands.ts'
import { newSession, sayArrival, sayLeft, takeUpTasks } from '../chat/chat-tasks.ts'
import { takeTurn } from '../chat/chat-turn.ts'
import { findServer, hostOptionsOf, readConfig } from '../configuration.ts'
import { openHost } from '../host.ts'
import { modelsOf } from '../own-models.ts'
import { readStdin } from '../parse/arguments.ts'
import type { CommandInput } from '../parse/command.ts'
import { counted } from '../terminal/counted.ts'
import type { Io } from '../terminal/io.ts'
import { createTerminal } from '../terminal/terminal.ts'
import { settled } from './servers/servers-status.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { flags, positionals } = input
  const options = hostOptionsOf(input)
  const only = Array.isArray(flags.server) ? (flags.server as string[]) : undefined
  const config = await readConfig(io, options.config)
  for (const name of only ?? []) findServer(config, name)
  const models = modelsOf(config, io)
  // Before any server is started for it.
  const model = await chooseModel(models, typeof flags.model === 'string' ? flags.model : undefined)
  const terminal = createTerminal(io)
  const converses = positionals.length === 0 && io.interactive
  const host = await openHost(io, {
    ...options,
    ...(only !== undefined && { only }),
    terminal,
    stays: true,
    // Tasks that others follow are left to them; a single answer waits for its own.
    more: { models, tasks: { resume: false, ...attendanceOf(flags.attend, converses) } },
  })
  try {
    await meetServers(host, io, converses ? PATIENCE_MS : START_MS)
    const session = newSession()
    const project = typeof flags.project === 'string' ? flags.project : undefined
    const system = typeof flags.system === 'string' ? flags.system : undefined
    // The line that is being typed steps aside for it, and comes back.
    const onTask = (arrival: TaskArrival): void => void terminal.dialogue(async () => sayArrival(arrival, io))
    const chat = {
      host,
      session,
      conversation: host.converse({ session, model, system, project, onTask }),
    }
    if (positionals.length > 0) return await answerOnce(chat.conversation, positionals.join(' '), input, io)
    if (!converses) return await answerOnce(chat.conversation, (await readStdin(io)).trim(), input, io)
    welcome(host, model, io)
    await takeUpTasks(host, session, io)
    await converse({ ...chat, model, terminal }, io)
    await sayLeft(host, session, io)
    return EXIT_CODES.ok.code
  } finally {
    await host.close()
  }
}

function attendanceOf(seconds: unknown, converses: boolean): { readonly attendMs?: number } {
  if (typeof seconds === 'number' && seconds >= 0) return { attendMs: seconds * 1000 }
  return converses ? {} : { attendMs: Number.POSITIVE_INFINITY }
}

/** In a conversation, servers that are slow to start may come in later; a single answer needs all of them. */
const PATIENCE_MS = 5_000
const START_MS = 30_000

async function meetServers(host: Host, io: Io, patienceMs: number): Promise<void> {
  await settled(host, io, patienceMs)
  const there = host.upstreams.views().filter(({ state }) => ['ready', 'degraded', 'quarantined'].includes(state.state))
  await Promise.all(there.map(({ name }) => host.catalogue.refresh(name, io.signal)))
}

async function chooseModel(models: Models, wanted: string | undefined): Promise<string> {
  if (wanted?.startsWith('ollama/') === true || models.usable().length === 0) await models.findOllama()
  return (await models.load(wanted)).config.id
}

async function answerOnce(conversation: Conversation, text: string, input: CommandInput, io: Io): Promise<number> {
  if (text === '') throw new CliError('usage', 'chat: there is no message', 'Give one, or run it in a terminal.')
  const cancel = (): void => conversation.cancel()
  io.signal.addEventListener('abort', cancel, { once: true })
  const end = await takeTurn(conversation, text, io, { json: input.json })
  if (end.reason === 'done') return EXIT_CODES.ok.code
  if (end.error === undefined) return EXIT_CODES.failed.code
  const { toCliError } = await import('../failure.ts')
  // The turn has shown it; with --json it stands in the last event.
  return EXIT_CODES[toCliError(end.error, io).exit].code
}

function welcome(host: Host, model: string, io: Io): void {
  const views = host.upstreams.views()
  const ready = views.filter(({ state }) => state.state === 'ready' || state.state === 'degraded')
  const tools = host.catalogue.items(['tool']).length
  io.say(
    `${io.paint.bold(model)} with ${counted(tools, 'tool')} of ${counted(ready.length, 'server')}. /help lists the commands, Ctrl-D leaves.`,
  )
  for (const { name, state } of views) {
    if (state.reason !== undefined) io.say(`${io.paint.yellow(name)}: ${state.reason}`)
  }
}

/** Until the person leaves. Ctrl-C cancels an answer; where there is none, it leaves. */
async function converse(chat: Chat, io: Io): Promise<void> {
  const history: string[] = []
  const leaving = new AbortController()
  const stop = io.onInterrupt(() => {
    if (chat.conversation.busy) chat.conversation.cancel()
    else leaving.abort()
  })
  const signal = AbortSignal.any([leaving.signal, io.signal])
  signal.addEventListener('abort', () => chat.conversation.cancel(), { once: true })
  try {
    while (!signal.aborted) {
      const line = await chat.terminal.ask(`${io.paint.cyan('›')} `, { signal, patient: true, history })
      if (line === undefined) {
        // What the shell says next is not to stand behind the prompt.
        if (!signal.aborted) io.say('')
        return
      }
      const text = line.trim()
      if (text === '') {
        await takeTurn(chat.conversation, undefined, io, { model: chat.model })
        continue
      }
      history.unshift(line)
      const next = text.startsWith('/') ? await runChatCommand(text, chat, io) : 'say'
      if (next === 'leave') return
      const said = text.startsWith('/') ? '' : text
      if (next === 'say') await takeTurn(chat.conversation, said, io, { model: chat.model })
    }
  } finally {
    stop()
  }
}
