/**
 * What may stand where the cursor is, for the scripts in `scripts.ts`. Shells put these words on the line as they are, and
 * the person presses Enter: only those come out that mean themselves in every shell, whoever chose them.
 */

import type { Command, Positional } from '../parse/command.ts'
import { COMMON_FLAGS } from '../parse/parse.ts'
import { isPath, isPathOrUrl, splitTarget } from '../target/target-kind.ts'
import type { Io } from '../terminal/io.ts'
import { type KnownItem, knownServer } from './cache.ts'

/** `words` are those after `portico`; the last is the one that is being typed, and may be empty. */
export async function nextWords(
  [name, ...typed]: readonly string[],
  commands: readonly Command[],
  io: Pick<Io, 'env' | 'cwd'>,
  servers: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const command = commands.find((one) => one.name === name)
  const before = command === undefined ? undefined : positionalsOf(command, typed.slice(0, -1))
  if (command === undefined || before === undefined) return []
  const current = typed.at(-1) ?? ''
  const found = await candidates(command, { before, current }, io, servers)
  return [...new Set(found)].filter((word) => isPlainWord(word) && word.startsWith(current))
}

/**
 * Letters and signs that no shell expands, splits or takes for an option. A name with anything else is left out: it can
 * still be typed, by somebody who has read it.
 */
function isPlainWord(word: string): boolean {
  return /^[A-Za-z0-9_./@][A-Za-z0-9_./@:%+,=-]*$/.test(word)
}

/** A line as far as the cursor, as words; an open quote is closed at its end. */
export function wordsOfLine(line: string, split: (text: string) => string[] | undefined): readonly string[] {
  const words = split(line) ?? split(`${line}"`) ?? split(`${line}'`) ?? []
  return /(?:^|\s)$/.test(line) ? [...words, ''] : words
}

/** Without options and their values; undefined where an option's value or another program's word is being typed. */
function positionalsOf(command: Command, words: readonly string[]): readonly string[] | undefined {
  const all: Command['flags'] = { ...command.flags, ...COMMON_FLAGS }
  const flags = Object.entries(all)
  const found: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--') return undefined
    if (!word.startsWith('-') || word === '-') {
      found.push(word)
      continue
    }
    const flag = flags.find(([long, { short }]) => word === `--${long}` || word === `-${short}`)?.[1]
    if (flag === undefined || flag.type === 'boolean') continue
    if (++at >= words.length) return undefined
  }
  return found
}

interface Typed {
  /** The words of the command before the one that is being typed, and that one. */
  readonly before: readonly string[]
  readonly current: string
}

async function candidates(
  command: Command,
  { before, current }: Typed,
  io: Pick<Io, 'env' | 'cwd'>,
  servers: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const [first] = command.positionals
  if (first?.completes !== 'server' || before.length === 0) {
    return placeOf(command, before.length)?.completes === 'server' ? servers() : []
  }
  const takesAddress = command.positionals.some(({ completes }) => completes === 'resource')
  const given = { positionals: before, dashed: [], flags: {}, json: false }
  const { target, rest } = splitTarget(given, takesAddress ? isPath : isPathOrUrl)
  const place = placeOf(command, rest.length + 1)
  const { tools = [], prompts = [], resources = [] } = await knownServer(target, io)
  switch (place?.completes) {
    case 'tool':
      return tools.map((tool) => tool.name)
    case 'tool-argument':
      return argumentsOf(tools, rest, current)
    case 'prompt':
      return prompts.map((prompt) => prompt.name)
    case 'prompt-argument':
      return argumentsOf(prompts, rest, current)
    case 'resource':
      return resources
    default:
      return []
  }
}

function placeOf({ positionals }: Command, index: number): Positional | undefined {
  const last = positionals.at(-1)
  return positionals[index] ?? (last?.rest === true ? last : undefined)
}

/** `name=` for each that is not given yet; after the sign, its values. */
function argumentsOf(items: readonly KnownItem[], rest: readonly string[], current: string): string[] {
  const item = items.find((one) => one.name === rest[0])
  const named = (item?.arguments ?? []).filter((one) => isPlainWord(one.name) && !one.name.includes('='))
  const at = current.indexOf('=')
  const key = at < 0 ? undefined : current.slice(0, at)
  if (key !== undefined) return (named.find((one) => one.name === key)?.values ?? []).map((value) => `${key}=${value}`)
  return named.filter((one) => !rest.some((word) => word.startsWith(`${one.name}=`))).map((one) => `${one.name}=`)
}
