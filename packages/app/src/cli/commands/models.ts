/** `portico models`: which models chat may use. Entries go into the user's own file; keys never do. */

import { writeSection } from '@portico/host/config'
import { type ModelConfig, namesAt, PROVIDERS, readModels } from '@portico/host/model'
import { nearestName } from '@portico/host/text'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { readConfig } from '../configuration.ts'
import { userFile } from '../host-places.ts'
import { modelsOf } from '../own-models.ts'
import { secretStoreOf } from '../own-secrets.ts'
import { readStdin } from '../parse/arguments.ts'
import type { CommandInput } from '../parse/command.ts'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import { toTable } from '../terminal/table.ts'
import { createTerminal } from '../terminal/terminal.ts'

type Action = (words: readonly string[], input: CommandInput, io: Io) => Promise<number>

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [action = 'list', ...words] = input.positionals
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (act !== undefined) return act(words, input, io)
  const near = nearestName(action, Object.keys(ACTIONS))
  const hint = near === undefined ? '' : `Did you mean \`portico models ${near}\`? `
  throw new CliError('usage', `models: there is no action "${action}"`, `${hint}See \`portico models --help\`.`)
}

const list: Action = async (_words, input, io) => {
  const models = modelsOf(await readConfig(io, fileFlag(input)), io)
  await Promise.all([models.findOllama(), models.tryAddresses()])
  const views = models.list()
  if (input.json) {
    io.out(JSON.stringify(views.map(({ config, source, usable, remedy }) => ({ ...config, source, usable, remedy }))))
    return EXIT_CODES.ok.code
  }
  if (views.length === 0) {
    io.say(`There is no model yet. ${ADD}`)
    return EXIT_CODES.ok.code
  }
  const rows = views.map(({ id, config, source, usable, unreachable }) => [
    id,
    unreachable ? 'no answer' : usable ? 'ready' : 'no key',
    SOURCES[source],
    `${config.model}${config.baseUrl === undefined ? ` (${config.provider})` : ` at ${config.baseUrl}`}`,
  ])
  io.out(toTable(rows, io))
  for (const { id, remedy } of views) if (remedy !== undefined) io.say(`${io.paint.yellow(toLine(id))}: ${remedy}`)
  return EXIT_CODES.ok.code
}

const add: Action = async ([id, ...extra], input, io) => {
  if (id === undefined || extra.length > 0) throw new CliError('usage', 'models add takes one name', ADD)
  if (!/^[\w.@/-]{1,60}$/.test(id))
    throw new CliError('usage', `models add: "${id}" cannot be a name`, 'Use letters, digits, - _ . @ and / only.')
  const { flags } = input
  const key = flags.key === true ? await readKey(id, io) : undefined
  const entry = await toEntry(id, input, key ?? envKey(flags['key-env'], io), io)
  const { problems } = readModels({ [id]: entry })
  const [problem] = problems
  if (problem !== undefined) throw new CliError('usage', `models add: ${problem.message}`, problem.remedy)
  if (key !== undefined) await secretStoreOf(io).set(secretName(id), key)
  const file = userFile(io, fileFlag(input))
  const { changed } = await writeSection(file, 'models', id, entry)
  if (input.json) io.out(JSON.stringify({ id, file, changed, ...entry }))
  io.say(`${changed ? 'Written to' : 'Already in'} ${file}: ${id} = ${toLine(entry.model)}.`)
  if (typeof flags['key-env'] === 'string' && envKey(flags['key-env'], io) === undefined)
    io.say(`${io.paint.yellow('note')}: ${flags['key-env']} is not set here; chat needs it.`)
  await tryAddress(entry, key ?? envKey(flags['key-env'], io), io)
  io.say(`Talk to it: \`portico chat -m ${id}\`.`)
  return EXIT_CODES.ok.code
}

const remove: Action = async ([id, ...extra], input, io) => {
  if (id === undefined || extra.length > 0) throw new CliError('usage', 'models remove takes one name')
  const file = userFile(io, fileFlag(input))
  const { changed } = await writeSection(file, 'models', id, undefined)
  if (input.json) io.out(JSON.stringify({ id, file, changed }))
  if (!changed) throw new CliError('not-found', `${file} has no model "${id}"`, 'See `portico models list`.')
  const forgot = await secretStoreOf(io).delete(secretName(id))
  io.say(`Removed ${id} from ${file}${forgot ? ', and its key from the secret store' : ''}.`)
  return EXIT_CODES.ok.code
}

const ACTIONS: { readonly [action: string]: Action } = { list, add, remove }

const ADD = 'Add one: `portico models add <name> --url <url> --model <model>`; `portico models --help` shows more.'
const SOURCES = {
  configured: 'configured',
  environment: 'key in the environment',
  ollama: 'Ollama on this machine',
  added: 'configured',
}

async function toEntry(
  id: string,
  { flags }: CommandInput,
  key: string | undefined,
  io: Io,
): Promise<Omit<ModelConfig, 'id'>> {
  const { url, provider = url === undefined ? undefined : 'openai-compatible' } = flags
  // The parser has held it against the choices.
  const known = PROVIDERS.find((one) => one === provider)
  if (known === undefined)
    throw new CliError(
      'usage',
      'models add: nothing says where the model is',
      'Give --url <url>, or --provider <name>.',
    )
  return {
    provider: known,
    model: typeof flags.model === 'string' ? flags.model : await onlyModel(id, url, key, io),
    ...(typeof url === 'string' && { baseUrl: url }),
    ...(typeof flags['key-env'] === 'string' && { keyVariable: flags['key-env'] }),
    ...(flags.key === true && { keySecret: secretName(id) }),
  }
}

/** Where the address offers one model, nobody has to name it. */
async function onlyModel(id: string, url: unknown, key: string | undefined, io: Io): Promise<string> {
  if (typeof url !== 'string')
    throw new CliError('usage', `models add: which model is "${id}"?`, "Give --model <the provider's name for it>.")
  io.progress(`asking ${url} for its models …`)
  const names = await namesAt(url, { ...(key !== undefined && { key }) }).catch((error: unknown) => {
    throw new CliError(
      'usage',
      `models add: ${url} does not tell its models: ${reasonOf(error)}`,
      'Start the program that serves them, or give --model <model>.',
    )
  })
  io.progress(undefined)
  const [only] = names
  if (only !== undefined && names.length === 1) return only
  const offered = names.length === 0 ? `${url} lists no model` : `${url} has ${toLine(names.join(', '), 300)}`
  throw new CliError('usage', `models add: ${offered}`, 'Say which: --model <model>.')
}

/** What was written stays written: the program that serves the model may just not run yet. */
async function tryAddress({ baseUrl, model }: Omit<ModelConfig, 'id'>, key: string | undefined, io: Io): Promise<void> {
  if (baseUrl === undefined) return
  io.progress(`trying ${baseUrl} …`)
  const names = await namesAt(baseUrl, { ...(key !== undefined && { key }) }).catch((error: unknown): string[] => {
    io.progress(undefined)
    const remedy = 'Start the program that serves the model there, or add it again with another --url.'
    io.say(`${io.paint.yellow('warning')}: no model answers at ${baseUrl}: ${reasonOf(error)}\n  ${remedy}`)
    return []
  })
  io.progress(undefined)
  if (names.length === 0 || names.includes(model)) return
  const offered = `it has ${toLine(names.join(', '), 300)}`
  io.say(`${io.paint.yellow('warning')}: ${baseUrl} does not list ${toLine(model)}; ${offered}.`)
}

/** `fetch failed` says nothing; what is behind it does. */
function reasonOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: unknown }
  const { code } = (cause ?? {}) as { code?: unknown }
  if (typeof code === 'string') return code
  return toLine(error instanceof Error ? error.message : String(error))
}

async function readKey(id: string, io: Io): Promise<string> {
  const typed = io.interactive
    ? await createTerminal(io).ask(`Key of ${id}: `, { secret: true, signal: io.signal })
    : await readStdin(io)
  const key = typed?.trim() ?? ''
  if (key === '') throw new CliError('usage', 'models add: no key was given', 'Type it, or send it on standard input.')
  return key
}

function envKey(variable: unknown, { env }: Io): string | undefined {
  const value = typeof variable === 'string' ? env[variable] : undefined
  return value === '' ? undefined : value
}

function secretName(id: string): string {
  return `model-key:${id}`
}

function fileFlag({ flags }: CommandInput): string | undefined {
  return typeof flags.config === 'string' ? flags.config : undefined
}
