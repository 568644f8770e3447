/** `portico policy`: the rules under a magnifying glass. */

import { readFile } from 'node:fs/promises'
import { createRules, type Effect, lintRules, type RuleFinding } from '@portico/host/policy'
import type { JsonObject } from '@portico/sdk/client'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { hostOptionsOf, readConfig, rulesOf } from '../../configuration.ts'
import type { CommandInput } from '../../parse/command.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine } from '../../terminal/plain-text.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [action, ...words] = input.positionals
  if (action === 'lint') return lint(words, input, io)
  if (action === 'explain') return explain(words, input, io)
  throw new CliError('usage', `policy: there is no action "${action}"`, 'Use lint or explain.')
}

async function lint([file, ...extra]: readonly string[], input: CommandInput, io: Io): Promise<number> {
  if (extra.length > 0) throw new CliError('usage', 'policy lint takes one file at most')
  const config = await readConfig(io, hostOptionsOf(input).config)
  const rules = file === undefined ? rulesOf(config) : await readRuleFile(file)
  const findings = lintRules(rules, { servers: config.servers.map(({ name }) => name) })
  if (input.json) io.out(JSON.stringify(findings))
  else for (const finding of findings) io.out(describe(finding))
  const count = Array.isArray(rules) ? rules.length : undefined
  io.say(
    findings.length > 0
      ? `${counted(findings.length, 'finding')}.`
      : count === 0
        ? 'There are no rules: you are asked about everything that is not harmless.'
        : `${count === undefined ? 'The rules' : counted(count, 'rule')}: no problems found.`,
  )
  return findings.length === 0 ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
}

async function explain(words: readonly string[], input: CommandInput, io: Io): Promise<number> {
  const { flags } = input
  const config = await readConfig(io, hostOptionsOf(input).config)
  const effect = toEffect(
    words,
    input,
    (name) => config.servers.find((server) => server.name === name)?.settings.trusted ?? false,
  )
  const rules = createRules(rulesOf(config))
  const explanation = rules.explain(effect, {
    session: 'explain',
    unattended: flags.unattended === true,
    tainted: flags.tainted === true,
    byHand: flags.tainted !== true,
    at: Date.now(),
    workspace: io.cwd,
  })
  const { outcome, reason, considered } = explanation
  if (input.json) {
    io.out(JSON.stringify({ effect, ...explanation }))
    return EXIT_CODES.ok.code
  }
  io.out(outcome === 'ask' && flags.unattended === true ? 'deny' : outcome)
  io.say(`${reason}${outcome === 'ask' && flags.unattended === true ? ', and nobody is there' : ''}.`)
  for (const { rule, outcome: says, matches, unmet } of considered) {
    io.say(
      `  ${matches ? io.paint.green('matches') : io.paint.dim('passes ')} ${toLine(rule)} (${says})${unmet === undefined ? '' : `: ${toLine(unmet)}`}`,
    )
  }
  return EXIT_CODES.ok.code
}

function describe({ kind, rule, message }: RuleFinding): string {
  return `${kind}\t${toLine(rule)}\t${toLine(message, 400)}`
}

async function readRuleFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8')
  try {
    const value = JSON.parse(text) as { policy?: unknown; rules?: unknown } | unknown[]
    const found = Array.isArray(value) ? value : (value.policy ?? value)
    return (found as { rules?: unknown }).rules ?? found
  } catch (error) {
    throw new CliError('config', `${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

function toEffect(words: readonly string[], { flags }: CommandInput, isTrusted: (server: string) => boolean): Effect {
  const [kind, server, item = '', ...pairs] = words
  if (kind === undefined || server === undefined) {
    throw new CliError(
      'usage',
      'policy explain: an effect and a server are needed',
      'portico policy explain call files delete_file path=/tmp/a',
    )
  }
  const args = toArguments(pairs)
  switch (kind) {
    case 'connect':
      return { kind, server, shown: item, fingerprint: '' }
    case 'call':
      return { kind, server, tool: item, arguments: args, trusted: isTrusted(server) }
    case 'read':
      return { kind, server, uri: item }
    case 'prompt':
      return { kind, server, prompt: item, arguments: args }
    case 'complete':
      return { kind, server, of: item.includes(':') ? 'read' : 'prompt', item, arguments: args }
    case 'sample':
      return { kind, server, background: item === 'background', maxTokens: Number(args.maxTokens ?? 1000) }
    case 'elicit':
      return item === '' ? { kind, server, mode: 'form' } : { kind, server, mode: 'url', host: item }
    case 'root':
      return { kind, server, uri: item }
    case 'flow':
      return {
        kind,
        server,
        tool: item,
        arguments: args,
        from: Array.isArray(flags.from) ? (flags.from as string[]) : [],
      }
    default:
      throw new CliError(
        'usage',
        `policy explain: there is no effect "${kind}"`,
        'One of connect, call, read, prompt, sample, elicit, root, flow.',
      )
  }
}

/** Values that read as JSON are taken as such: rules compare numbers with numbers. */
function toArguments(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at <= 0) throw new CliError('usage', `"${pair}" is not an argument`, 'Write arguments as key=value.')
      const text = pair.slice(at + 1)
      try {
        return [pair.slice(0, at), JSON.parse(text) as unknown]
      } catch {
        return [pair.slice(0, at), text]
      }
    }),
  )
}
