/** What begins with a slash in a conversation: for the person, never for the model. */

import type { Host } from '@portico/host'
import type { Conversation } from '@portico/host/model'
import type { CatalogueItem } from '@portico/host/upstream'
import { sayError } from '../say-error.ts'
import { screenOf } from '../screen-size.ts'
import { setLogLevel, setRoots } from '../server-tuning.ts'
import { counted } from '../terminal/counted.ts'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import { choosePrompt, findPrompt, toPairs } from '../terminal/prompt-choice.ts'
import { toTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface Chat {
  readonly host: Host
  readonly session: string
  readonly conversation: Conversation
  readonly terminal: Terminal
  model: string
}

const HELP = [
  ['/tools [words]', 'list the tools, or search them'],
  ['/servers', 'show the state of every server'],
  ['/model [id]', 'list the models, or use another'],
  ['/attach <uri>', 'send a resource with the next message'],
  ['/pin [uri]', 'send a resource, read anew, with every message; without one, list them'],
  ['/unpin <uri>', 'stop sending it'],
  ['/<prompt> [key=value…]', 'show a prompt of a server, and send it once you confirm'],
  ['/prompts', 'list the prompts'],
  ['/roots [server [folder…|default]]', 'show or change the folders that servers are offered'],
  ['/logs <server> <level>', 'choose the log messages that a server sends'],
  ['/usage', 'tokens and cost so far'],
  ['/quit', 'leave, as Ctrl-D does'],
] as const

/**
 * `leave` ends the conversation, `say` has the model answer what was put into it. What goes wrong is said, and the
 * conversation goes on.
 */
export async function runChatCommand(text: string, chat: Chat, io: Io): Promise<'leave' | 'stay' | 'say'> {
  const [command = '', ...words] = text.split(/\s+/)
  try {
    switch (command) {
      case '/quit':
      case '/exit':
        return 'leave'
      case '/help':
        io.say(toTable(HELP, onScreen(io)))
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
      case '/pin':
        pin(words[0], chat, io)
        break
      case '/unpin':
        unpin(words[0] ?? '', chat, io)
        break
      case '/prompts':
        listItems(chat.host.catalogue.items(['prompt']), io)
        break
      case '/prompt':
        return await sayPrompt(words[0] ?? '', words.slice(1), chat, io)
      case '/roots':
        await setRoots(words, chat.host, io)
        break
      case '/logs':
        await setLogLevel(words, chat.host, io)
        break
      case '/usage':
        io.say(JSON.stringify(chat.conversation.usage))
        break
      default:
        return await sayPrompt(command.slice(1), words, chat, io)
    }
  } catch (error) {
    sayError(toLine(error instanceof Error ? error.message : String(error), 400), undefined, io)
  }
  return 'stay'
}

function listTools(query: string, { host }: Chat, io: Io): void {
  const items =
    query === ''
      ? host.catalogue.items(['tool'])
      : host.catalogue.search(query, { kinds: ['tool'], limit: 20 }).map(({ item }) => item)
  listItems(items, io)
}

function listItems(items: readonly CatalogueItem[], io: Io): void {
  if (items.length === 0) io.say('There are none.')
  else
    io.say(
      toTable(
        items.map((item) => [item.name, item.definition.description ?? '']),
        onScreen(io),
      ),
    )
}

/** What is said goes to the screen, wherever standard output goes. */
function onScreen(io: Io): { readonly terminal: true; readonly columns: number } {
  return { terminal: true, columns: screenOf(io.stderr).columns }
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
  io.say(`Now using ${chat.model}.`)
}

async function attach(
  what: Parameters<Host['attach']>[1],
  { host, conversation, session }: Chat,
  io: Io,
): Promise<void> {
  const { label, server, bytes } = await host.attach(conversation, what, { session, signal: io.signal })
  io.say(`${toLine(label)} of ${toLine(server)} will be sent with your next message (${counted(bytes, 'byte')}).`)
}

function pin(uri: string | undefined, { host, session }: Chat, io: Io): void {
  const item = uri === undefined ? undefined : host.catalogue.find(uri, 'resource')
  if (uri !== undefined && item === undefined) {
    io.say(`No server lists ${toLine(uri)}.`)
    return
  }
  const pins = host.pins(session)
  if (item !== undefined) host.setPins(session, [...pins, { server: item.server, uri: item.ownName }])
  for (const { server, uri: pinned } of host.pins(session)) io.say(`${toLine(pinned)} of ${toLine(server)}`)
  if (host.pins(session).length === 0) io.say('There are none.')
}

function unpin(uri: string, { host, session }: Chat, io: Io): void {
  const left = host.pins(session).filter((one) => one.uri !== uri)
  io.say(
    left.length === host.pins(session).length
      ? `${toLine(uri)} was not pinned.`
      : 'It is no longer sent with your messages.',
  )
  host.setPins(session, left)
}

/** What the person picked is said with the roles that its server gave it, once they have seen it. */
async function sayPrompt(name: string, words: readonly string[], chat: Chat, io: Io): Promise<'stay' | 'say'> {
  const item = findPrompt(chat.host.catalogue, name)
  if (item === undefined) {
    io.say(`There is no /${toLine(name)}. /help lists the commands, /prompts the prompts.`)
    return 'stay'
  }
  const chosen = await choosePrompt(item, toPairs(item, words), chat, io)
  if (chosen === undefined) return 'stay'
  const { host, conversation, session } = chat
  await host.attach(conversation, chosen, { session, signal: io.signal })
  return 'say'
}
