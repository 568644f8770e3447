/** A prompt that the person picks in a conversation: found by its name, asked for what it needs, shown before it is said. */

import type { Host } from '@portico/host'
import type { Catalogue, CatalogueItem } from '@portico/host/upstream'
import type { Prompt } from '@portico/sdk/client'
import { textOfBlock } from './content.ts'
import type { Io } from './io.ts'
import { toLine, toPlain } from './plain-text.ts'
import type { Terminal } from './terminal.ts'

type ChosenPrompt = Extract<Parameters<Host['attach']>[1], { readonly kind: 'prompt' }>

interface PromptSetting {
  readonly host: Host
  readonly session: string
  readonly terminal: Terminal
}

/** By its name in the catalogue, or by its server's own name where only one server has it. */
export function findPrompt(catalogue: Catalogue, name: string): CatalogueItem | undefined {
  const prompts = catalogue.items(['prompt'])
  const exact = prompts.find((item) => item.name === name)
  const own = prompts.filter(({ ownName }) => ownName === name)
  return exact ?? (own.length === 1 ? own[0] : undefined)
}

/** `key=value` by name; words without a name fill the arguments in their order. */
export function toPairs(item: CatalogueItem, words: readonly string[]): { [name: string]: string } {
  const pairs: { [name: string]: string } = {}
  const known = argumentsOf(item).map(({ name }) => name)
  for (const word of words) {
    const [key = ''] = word.split('=', 1)
    if (word.includes('=') && known.includes(key)) pairs[key] = word.slice(key.length + 1)
    else {
      const free = known.find((name) => pairs[name] === undefined)
      if (free !== undefined) pairs[free] = word
    }
  }
  return pairs
}

/** Undefined where the person does not want it after all. */
export async function choosePrompt(
  item: CatalogueItem,
  given: { readonly [name: string]: string },
  { host, session, terminal }: PromptSetting,
  io: Io,
): Promise<ChosenPrompt | undefined> {
  const args: { [name: string]: string } = { ...given }
  for (const { name, required } of argumentsOf(item)) {
    if (required !== true || args[name] !== undefined) continue
    const value = await terminal.ask(`  ${toLine(name)}: `, { signal: io.signal })
    if (value === undefined) return undefined
    args[name] = value
  }
  const { result, server } = await host.prompt(item.name, args, { session, signal: io.signal })
  io.say(`${io.paint.bold(toLine(item.name))} of ${toLine(server)}:`)
  for (const { role, content } of result.messages) io.say(`  ${io.paint.cyan(role)}: ${toPlain(textOfBlock(content))}`)
  const answer = await terminal.ask('  Send this? [y]es, [n]o: ', { signal: io.signal })
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) return undefined
  return { kind: 'prompt', name: item.name, arguments: args, seen: result.messages }
}

function argumentsOf({ definition }: CatalogueItem): NonNullable<Prompt['arguments']> {
  // Only prompts are asked about here.
  return (definition as unknown as Prompt).arguments ?? []
}
