/** `portico list`: what a server offers, one line for each. */

import type { Prompt, Resource, ResourceTemplate, Tool } from '@portico/sdk/client'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { usageOf } from '../parse/arguments.ts'
import type { CommandInput } from '../parse/command.ts'
import type { StrictReport } from '../strict-list.ts'
import { targetOptionsOf, withTarget } from '../target/target.ts'
import { isListedWord, splitTarget } from '../target/target-kind.ts'
import type { Io } from '../terminal/io.ts'
import { toPlain } from '../terminal/plain-text.ts'
import { toTable } from '../terminal/table.ts'

const KINDS = ['tools', 'resources', 'templates', 'prompts'] as const
type Kind = (typeof KINDS)[number]

interface Row {
  readonly kind: Kind
  readonly name: string
  readonly usage: string
  readonly about: string
}

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input, isListedWord)
  const wanted = readKind(rest)
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    const kinds = wanted === undefined ? KINDS : [wanted]
    const lists = new Map(await Promise.all(kinds.map(async (kind) => [kind, await open[kind]()] as const)))
    const strict = input.flags.strict === true ? (await import('../strict-list.ts')).strictReport(lists) : undefined
    const code = EXIT_CODES[strict !== undefined && isBad(strict, input) ? 'failed' : 'ok'].code
    if (input.json && strict !== undefined) {
      io.out(JSON.stringify({ ...Object.fromEntries(lists), strict }))
      return code
    }
    if (input.json) {
      io.out(JSON.stringify(wanted === undefined ? Object.fromEntries(lists) : lists.get(wanted)))
      return EXIT_CODES.ok.code
    }
    const rows = toRows(lists)
    if (rows.length === 0) io.say(`${open.label} offers no ${wanted ?? 'tools, resources or prompts'}.`)
    else
      io.out(
        input.flags.long === true ? toPages(rows, wanted === undefined, io) : toLines(rows, wanted === undefined, io),
      )
    if (strict !== undefined) (await import('../strict-list.ts')).sayStrict(strict, io)
    return code
  })
}

/** Warnings count unless another level is given: whoever asks for `--strict` in a build wants to be stopped by them. */
function isBad({ findings }: StrictReport, { flags }: CommandInput): boolean {
  const least = LEVELS.indexOf(typeof flags['fail-on'] === 'string' ? flags['fail-on'] : 'warning')
  return findings.some(({ severity }) => LEVELS.indexOf(severity) <= least)
}

/** From bad to mild; what is not among them, `never`, is worse than all. */
const LEVELS: readonly string[] = ['error', 'warning', 'info']

function readKind([word, extra]: readonly string[]): Kind | undefined {
  if (extra !== undefined) throw new CliError('usage', `list: "${extra}" is one argument too many`)
  if (word === undefined) return undefined
  const kind = KINDS.find((one) => one === word || one === `${word}s`)
  if (kind !== undefined) return kind
  throw new CliError('usage', `list: there are no "${word}"`, `Ask for ${KINDS.join(', ')}.`)
}

function toRows(lists: ReadonlyMap<Kind, readonly unknown[]>): Row[] {
  // Each list came from the method of its own kind.
  const tools = (lists.get('tools') ?? []) as readonly Tool[]
  const resources = (lists.get('resources') ?? []) as readonly Resource[]
  const templates = (lists.get('templates') ?? []) as readonly ResourceTemplate[]
  const prompts = (lists.get('prompts') ?? []) as readonly Prompt[]
  return [
    ...tools.map((tool) => row('tools', tool.name, usageOf(tool), tool)),
    ...resources.map((resource) => row('resources', resource.uri, resource.mimeType ?? '', resource)),
    ...templates.map((template) => row('templates', template.uriTemplate, template.mimeType ?? '', template)),
    ...prompts.map((prompt) => row('prompts', prompt.name, promptUsage(prompt), prompt)),
  ]
}

function row(
  kind: Kind,
  name: string,
  usage: string,
  item: { title?: string; description?: string; name: string },
): Row {
  return { kind, name, usage, about: item.description ?? item.title ?? (item.name === name ? '' : item.name) }
}

function promptUsage({ arguments: args = [] }: Prompt): string {
  return args.map(({ name, required }) => (required === true ? `${name}=<string>` : `[${name}=<string>]`)).join(' ')
}

function toLines(rows: readonly Row[], withKind: boolean, io: Io): string {
  const cells = rows.map(({ kind, name, about }) => [...(withKind ? [kind.slice(0, -1)] : []), name, about])
  return toTable(cells, io, withKind ? 1 : 0)
}

function toPages(rows: readonly Row[], withKind: boolean, io: Io): string {
  return rows
    .map(({ kind, name, usage, about }) => {
      const head = `${withKind ? `${kind.slice(0, -1)} ` : ''}${name}${usage === '' ? '' : ` ${usage}`}`
      const text = about === '' ? [] : about.split('\n').map((line) => `    ${line}`)
      const whole = [head, ...text].join('\n')
      return io.terminal ? toPlain(whole) : whole
    })
    .join('\n')
}
