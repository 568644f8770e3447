/**
 * The host's questions in the terminal: who asks, what would happen, what to look at first, and an answer in one letter.
 * One at a time; what is answered elsewhere or withdrawn meanwhile disappears.
 */

import { type Answer, type MemoryWords, memoryWords, type Question, type QuestionBody } from '@portico/host/consent'
import type { JsonObject } from '@portico/sdk/client'
import { showWhole } from '../paging.ts'
import { askToOpen } from './asking.ts'
import { describeEffect } from './effect-text.ts'
import { askForm, type FormSchema } from './form.ts'
import type { Io } from './io.ts'
import { toLine, toPlain } from './plain-text.ts'
import type { Terminal } from './terminal.ts'

interface TerminalQuestions {
  /** For `HostOptions.ask`. Undefined leaves the question to other surfaces. */
  ask(question: Question): Promise<Answer | undefined>
  /** The question has been settled without us. */
  drop(id: string): void
}

export function createTerminalQuestions(io: Io, terminal: Terminal): TerminalQuestions {
  const open = new Map<string, AbortController>()
  return {
    async ask(question) {
      const gone = new AbortController()
      open.set(question.id, gone)
      try {
        return await terminal.dialogue(async () => {
          if (gone.signal.aborted) return undefined
          const answer = await put(question, { io, terminal, signal: AbortSignal.any([gone.signal, io.signal]) })
          return gone.signal.aborted ? undefined : answer && { ...answer, by: 'terminal' }
        })
      } finally {
        open.delete(question.id)
      }
    },
    drop: (id) => open.get(id)?.abort(),
  }
}

interface Setting {
  readonly io: Io
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

function put(question: Question, setting: Setting): Promise<Answer> {
  const { server, body } = question
  const { io } = setting
  const name = io.paint.bold(toLine(server, 80))
  switch (body.kind) {
    case 'approval':
      return askApproval(body, memoryWords(question), setting)
    case 'sampling':
      return askSampling(name, body, setting)
    case 'sampling-answer':
      return askSampledAnswer(name, body, setting)
    case 'form':
      return askServersForm(name, body, setting)
    case 'url':
      return askPage(name, body, setting)
    case 'result':
      io.say(`A result of ${name}, before the model sees it:`)
      return askAbout(indent(show(body.result)), 'Let the model see it?', setting)
    case 'roots':
      io.say(`${name} asks for folders:`)
      return askAbout(indent(body.offered.join('\n')), 'Share these folders with it?', setting)
    case 'definition':
      io.say(`${toLine(body.item)} of ${name} changed:`)
      return askAbout(showDifference(body, io), 'Use the changed definition?', setting)
    case 'trust':
      io.say(`${toLine(body.file)} comes with this project and wants to add: ${toLine(body.servers.join(', '))}`)
      return askPlainly('Trust this file?', setting)
  }
}

type Body<Kind extends QuestionBody['kind']> = Extract<QuestionBody, { readonly kind: Kind }>

function showDifference({ difference }: Body<'definition'>, { paint }: Io): string {
  const parts = difference.map(({ part, before, after }) => {
    const [was, is] = [indent(`- ${toPlain(before)}`, 4), indent(`+ ${toPlain(after)}`, 4)]
    return `  ${part}\n${paint.red(was)}\n${paint.green(is)}`
  })
  return parts.join('\n')
}

async function askApproval(
  { effect, reason, warnings }: Body<'approval'>,
  memory: MemoryWords | undefined,
  setting: Setting,
): Promise<Answer> {
  const { io } = setting
  const { title, details } = describeEffect(effect, io.paint)
  io.say(`${io.paint.cyan('?')} ${title}`)
  if (details !== undefined && !(await showWhole(indent(details), setting))) return { action: 'deny' }
  io.say(`  ${io.paint.dim(toLine(reason))}`)
  warn(warnings, io)
  if (effect.kind === 'connect') io.say(`  ${io.paint.dim(`Allow holds ${toLine(memory?.once ?? '', 400)}.`)}`)
  io.say(`  ${io.paint.dim(`Always holds ${toLine(memory?.always ?? '', 4_000)}.`)}`)
  const canEdit = effect.kind === 'call' || effect.kind === 'prompt'
  const canSession = effect.kind !== 'connect'
  const letters: [string, string][] = [
    ['y', 'Allow'],
    ['n', 'Deny'],
    ...(canEdit ? [['e', 'Edit'] as [string, string]] : []),
    ...(canSession ? [['s', 'Allow for this session'] as [string, string]] : []),
    ['a', 'Always allow'],
  ]
  const letter = await askLetter(letters, setting)
  switch (letter) {
    case 'y':
      return { action: 'allow' }
    case 's':
      return { action: 'allow', remember: 'session', breadth: 'item', evenIfTainted: true }
    case 'a':
      return { action: 'allow', remember: 'always', breadth: 'item', evenIfTainted: true }
    case 'e': {
      const content = await editJson('arguments' in effect ? effect.arguments : {}, setting)
      return content === undefined ? { action: 'deny' } : { action: 'allow', content }
    }
    case 'n':
      return { action: 'deny' }
    default:
      return { action: 'cancel' }
  }
}

function warn(warnings: readonly string[] | undefined, io: Io): void {
  for (const warning of warnings ?? []) io.say(`  ${io.paint.yellow(`! ${toLine(warning, 400)}`)}`)
}

async function askSampling(
  name: string,
  { request, models, warnings }: Body<'sampling'>,
  setting: Setting,
): Promise<Answer> {
  const { io } = setting
  const messages = textsOf(request.messages)
  io.say(`${io.paint.cyan('?')} ${name} wants to use your model (${toLine(models.join(', '))}) and asks it:`)
  const system = typeof request.systemPrompt === 'string' ? [{ role: 'system', text: request.systemPrompt }] : []
  const words = [...system, ...messages].map(({ role, text }) => indent(`${role}: ${toPlain(text)}`))
  if (!(await showWhole(words.join('\n'), setting))) return { action: 'deny' }
  warn(warnings, io)
  const letter = await askLetter(
    [
      ['y', 'Allow'],
      ['n', 'Deny'],
      ['e', 'Edit the last message'],
    ],
    setting,
  )
  if (letter === undefined) return { action: 'cancel' }
  if (letter !== 'e') return { action: letter === 'y' ? 'allow' : 'deny' }
  const text = await setting.terminal.ask('  text: ', { signal: setting.signal, initial: messages.at(-1)?.text ?? '' })
  if (text === undefined) return { action: 'deny' }
  const before = Array.isArray(request.messages) ? request.messages.slice(0, -1) : []
  return { action: 'allow', content: { messages: [...before, { role: 'user', content: { type: 'text', text } }] } }
}

async function askSampledAnswer(name: string, { answer }: Body<'sampling-answer'>, setting: Setting): Promise<Answer> {
  const [said] = textsOf([{ role: 'assistant', content: answer.content }])
  setting.io.say(`The model's answer to ${name}, before it is sent:`)
  if (!(await showWhole(indent(toPlain(said?.text ?? show(answer))), setting))) return { action: 'deny' }
  const letter = await askLetter(
    [
      ['y', 'Send it'],
      ['n', 'Do not send it'],
      ['e', 'Edit'],
    ],
    setting,
  )
  if (letter !== 'e') return { action: letter === 'y' ? 'allow' : 'deny' }
  const text = await setting.terminal.ask('  text: ', { signal: setting.signal, initial: said?.text ?? '' })
  return text === undefined ? { action: 'deny' } : { action: 'allow', content: { text } }
}

async function askServersForm(
  name: string,
  { message, schema, warnings }: Body<'form'>,
  setting: Setting,
): Promise<Answer> {
  const { io, terminal, signal } = setting
  io.say(`${io.paint.cyan('?')} ${name} asks: ${toPlain(message)}`)
  io.say(`  ${io.paint.dim('Do not give passwords or keys to a form. Ctrl-D leaves it.')}`)
  warn(warnings, io)
  // The host passes the server's schema on as it is; the client had read it as a form.
  const content = await askForm(schema as unknown as FormSchema, terminal, io, signal)
  if (content === undefined) return { action: 'cancel' }
  const letter = await askLetter(
    [
      ['y', 'Send it'],
      ['n', 'Decline'],
    ],
    setting,
  )
  if (letter === undefined) return { action: 'cancel' }
  return letter === 'y' ? { action: 'allow', content } : { action: 'deny' }
}

async function askPage(name: string, body: Body<'url'>, setting: Setting): Promise<Answer> {
  const { io, terminal, signal } = setting
  io.say(`${io.paint.cyan('?')} ${name} asks you to open a page: ${toPlain(body.message)}`)
  const accepted = await askToOpen(body, terminal, io, signal)
  return { action: accepted === undefined ? 'cancel' : accepted ? 'allow' : 'deny' }
}

/** The whole of what it is about comes first. */
async function askAbout(text: string, question: string, setting: Setting): Promise<Answer> {
  return (await showWhole(text, setting)) ? askPlainly(question, setting) : { action: 'deny' }
}

async function askPlainly(question: string, setting: Setting): Promise<Answer> {
  setting.io.say(`${setting.io.paint.cyan('?')} ${question}`)
  const letter = await askLetter(
    [
      ['y', 'Allow'],
      ['n', 'Deny'],
    ],
    setting,
  )
  return { action: letter === undefined ? 'cancel' : letter === 'y' ? 'allow' : 'deny' }
}

/** Words that people type in place of a letter. `allow` is a yes to this one thing, though it begins like `always`. */
const WORDS: { readonly [word: string]: string } = {
  yes: 'y',
  allow: 'y',
  no: 'n',
  deny: 'n',
  edit: 'e',
  session: 's',
  always: 'a',
}

/** Asks until one of the letters comes, or its words; undefined when the person left. */
async function askLetter(
  choices: readonly (readonly [string, string])[],
  { io, terminal, signal }: Setting,
): Promise<string | undefined> {
  const words = choices.map(([letter, word]) => `[${letter}] ${word}`)
  for (;;) {
    const line = await terminal.ask(`  ${words.join('  ')} › `, { signal })
    if (line === undefined) return undefined
    const answer = line.trim().toLowerCase()
    const meant = Object.hasOwn(WORDS, answer) ? WORDS[answer] : answer
    const found = choices.find(([letter, word]) => letter === meant || word.toLowerCase() === answer)
    if (found !== undefined) return found[0]
    io.say(`  Answer with ${choices.map(([known]) => known).join(', ')}.`)
  }
}

async function editJson(value: JsonObject, { io, terminal, signal }: Setting): Promise<JsonObject | undefined> {
  let initial = JSON.stringify(value)
  for (;;) {
    const line = await terminal.ask('  arguments: ', { signal, initial })
    if (line === undefined) return undefined
    initial = line
    try {
      const edited: unknown = JSON.parse(line)
      if (typeof edited === 'object' && edited !== null && !Array.isArray(edited)) return edited as JsonObject
      io.say('  The arguments must be a JSON object.')
    } catch {
      io.say('  This is not JSON yet.')
    }
  }
}

function textsOf(messages: unknown): { readonly role: string; readonly text: string }[] {
  const list: unknown[] = Array.isArray(messages) ? messages : []
  return list.map((message) => {
    const { role, content } = message as { role?: unknown; content?: unknown }
    const blocks: unknown[] = Array.isArray(content) ? content : [content]
    const texts = blocks.map((block) => {
      const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown }
      return typeof text === 'string' ? text : `[${String(type)}]`
    })
    return { role: String(role), text: texts.join('\n') }
  })
}

function show(value: unknown): string {
  return toPlain(JSON.stringify(value, null, 2))
}

function indent(text: string, by = 2): string {
  return text
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n')
}
