/** What begins with a slash in a conversation: for the person, never for the model. */

import type { Host } from '@portico/host'
import type { Conversation } from '@portico/host/model'
import type { Io } from './io.ts'
import { toLine } from './plain-text.ts'
import { toTable } from './table.ts'

export interface Chat {
  readonly host: Host
  readonly session: string
  readonly conversation: Conversation
  model: string
}

const HELP = [
  ['/tools [words]', 'the tools the model has, or those that fit'],
  ['/servers', 'how the servers are'],
  ['/model [id]', 'the models, or use another'],
  ['/attach <uri>', 'put a resource into the next message'],
  ['/prompt <name> [key=value…]', 'put a prompt of a server into the next message'],
  ['/usage', 'tokens and cost so far'],
  ['/quit', 'leave, as Ctrl-D does'],
] as const

/** `leave` ends the conversation. What goes wrong is said, and the conversation goes on. */
export async function runChatCommand(text: string, chat: Chat, io: Io): Promise<'leave' | 'stay'> {
  const [command = '', ...words] = text.split(/\s+/)
  try {
    switch (command) {
      case '/quit':
      case '/exit':
        return 'leave'
      case '/help':
        io.say(toTable(HELP, { terminal: true }))
        break
      case '/tools':
        listTools(words.join(' '), chat, io)
        break
      case '/servers':
        for (const { name, state } of chat.host.upstreams.views()) {
          io.say(`${toLine(name)}: ${state.state}${state.reason === undefined ? '' : ` — ${toLine(state.reason)}`}`)
        }
        break
      case '/model':
        await useModel(words[0], chat, io)
        break
      case '/attach':
        await attach({ kind: 'resource', uri: words[0] ?? '' }, chat, io)
        break
      case '/prompt':
        await attach({ kind: 'prompt', name: words[0] ?? '', arguments: toPairs(words.slice(1)) }, chat, io)
        break
      case '/usage':
        io.say(JSON.stringify(chat.conversation.usage))
        break
      default:
        io.say(`There is no ${toLine(command)}. /help tells what there is.`)
    }
  } catch (error) {
    io.say(`${io.paint.red('error')}: ${toLine(error instanceof Error ? error.message : String(error), 400)}`)
  }
  return 'stay'
}

function listTools(query: string, { host }: Chat, io: Io): void {
  const items =
    query === ''
      ? host.catalogue.items(['tool'])
      : host.catalogue.search(query, { kinds: ['tool'], limit: 20 }).map(({ item }) => item)
  if (items.length === 0) io.say('There are none.')
  else
    io.say(
      toTable(
        items.map((item) => [item.name, item.definition.description ?? '']),
        { terminal: true },
        io.stderr.columns,
      ),
    )
}

async function useModel(id: string | undefined, chat: Chat, io: Io): Promise<void> {
  const { models } = chat.host
  if (id === undefined) {
    for (const view of models.list()) {
      io.say(
        `${view.id === chat.model ? '*' : ' '} ${view.id}${view.usable ? '' : ` (${view.remedy ?? 'not usable'})`}`,
      )
    }
    return
  }
  chat.model = (await models.load(id)).config.id
  io.say(`From now on: ${chat.model}`)
}

async function attach(
  what: Parameters<Host['attach']>[1],
  { host, conversation, session }: Chat,
  io: Io,
): Promise<void> {
  const { label, server, bytes } = await host.attach(conversation, what, { session, signal: io.signal })
  io.say(`${toLine(label)} of ${toLine(server)} goes along with your next message (${bytes} bytes).`)
}

function toPairs(words: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(words.map((word) => [word.split('=', 1)[0] ?? '', word.slice(word.indexOf('=') + 1)]))
}
