/** `portico chat-bot`: the host in a team chat, for everybody in it. */

import { join } from 'node:path'
import { createChatEngine, serveChatRequests } from '@portico/host/chat'
import { formatProblem } from '@portico/host/config'
import { openState } from '@portico/host/state'
import { createMemoryStore, type Store } from '@portico/sdk/state'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { createAdapter, slackSecretsOf } from '../chat-bot/chat-bot-adapter.ts'
import { type ChatBotSettings, readChatBotSettings } from '../chat-bot/chat-bot-settings.ts'
import { createHostOpener } from '../chat-bot/personal-hosts.ts'
import { hostOptionsOf, readConfig } from '../configuration.ts'
import { stateOf } from '../host-places.ts'
import type { CommandInput } from '../parse/command.ts'
import { CHAT_BOT_PORT } from '../parse/default-ports.ts'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import { leaveSoon, stayUntil } from '../terminal/stay-until.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [kind = ''] = input.positionals
  if (kind !== 'slack' && kind !== 'webhook') {
    throw new CliError('usage', `chat-bot: "${kind}" is no chat that is known`, 'Say `slack` or `webhook`.')
  }
  const config = await readConfig(io, hostOptionsOf(input).config)
  const [waiting] = config.untrusted
  if (waiting !== undefined) {
    const words = `${toLine(waiting.file, 200)} is not used: nobody has trusted it yet. Read it, then name it with --config.`
    io.say(`${io.paint.yellow('warning')}: ${words}`)
  }
  const { settings, problems } = readChatBotSettings(config)
  const broken = config.problems.filter(({ severity }) => severity === 'error').map(formatProblem)
  if (problems.length + broken.length > 0) throw new CliError('config', [...problems, ...broken].join('\n'))
  const warn = (message: string): void => io.say(`${io.paint.yellow('warning')}: ${toLine(message, 400)}`)
  const adapter = createAdapter(kind, settings, io.env, warn)
  if (input.flags.check === true) {
    io.say('The section chatBot can be used.')
    return EXIT_CODES.ok.code
  }
  sayPlaces(settings, io)
  const { store, close } = await openStore(settings, io)
  const { roles = {}, signInUrl } = settings
  const engine = await createChatEngine({
    adapter,
    store,
    settings,
    openHost: await createHostOpener(config, adapter.name, io),
    claims: ({ id }) => (Object.hasOwn(roles, id) ? { roles: roles[id] } : undefined),
    ...(signInUrl !== undefined && { signInUrl }),
    onWarning: warn,
  })
  const answer = async (request: Request): Promise<Response | undefined> =>
    healthOf(request) ?? engine.pages(request) ?? (await adapter.handle(request))
  let listener: { readonly url: string; close(): Promise<void> } | undefined
  try {
    if (needsPort(kind, settings, input, io)) {
      listener = await serveChatRequests({ ...placeOf(kind, settings, input), answer, onWarning: warn })
      io.out(listener.url)
    }
    io.say(`${io.paint.bold(kind)}: answering. Ctrl-C ends it.`)
    await stayUntil(io.signal)
  } finally {
    await engine.close()
    await listener?.close()
    await close()
    leaveSoon()
  }
  return EXIT_CODES.ok.code
}

/** For requests of the chat, and for the pages of those who sign in. */
function needsPort(kind: string, settings: ChatBotSettings, { flags }: CommandInput, io: Io): boolean {
  const isAsked = flags.port !== undefined || settings.port !== undefined || settings.signInUrl !== undefined
  return isAsked || kind === 'webhook' || slackSecretsOf(settings, io.env).mode === 'http'
}

function placeOf(kind: string, settings: ChatBotSettings, { flags }: CommandInput) {
  const { port = CHAT_BOT_PORT, host = '127.0.0.1' } = settings
  return {
    port: typeof flags.port === 'number' ? flags.port : port,
    host: typeof flags.host === 'string' ? flags.host : host,
    maxBodyBytes: kind === 'webhook' ? WEBHOOK_BYTES : SLACK_BYTES,
  }
}

const SLACK_BYTES = 1_000_000
const WEBHOOK_BYTES = 20_000_000

function healthOf(request: Request): Response | undefined {
  return new URL(request.url).pathname === '/healthz' ? new Response('ok\n') : undefined
}

function sayPlaces({ channels = {}, direct }: ChatBotSettings, io: Io): void {
  const names = Object.keys(channels)
  const where = names.length === 0 ? 'in no channel (chatBot.channels names none)' : `in ${names.join(', ')}`
  io.say(`Answers ${where}${direct === false ? '' : ', and in direct messages'}.`)
}

async function openStore(
  { state }: ChatBotSettings,
  io: Io,
): Promise<{ readonly store: Store; close(): Promise<void> }> {
  if (state === 'memory') {
    const store = createMemoryStore()
    return { store, close: () => store.close() }
  }
  const { store, close } = await openState(state ?? { sqlite: join(stateOf(io), 'chat.db') })
  return { store, close: () => close() }
}
