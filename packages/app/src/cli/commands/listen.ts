/** `portico listen`: changes and log messages, a line for each, until Ctrl-C. */

import type { ChangeNotice, LogLevel, LogMessage, SubscriptionFilter } from '@portico/sdk/client'
import { EXIT_CODES } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import type { OpenTarget } from '../target/open-target.ts'
import { targetOptionsOf, withTarget } from '../target/target.ts'
import { isReadWord, splitTarget } from '../target/target-kind.ts'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import { stayUntil } from '../terminal/stay-until.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest: uris } = splitTarget(input, isReadWord)
  // The parser has held it against the levels.
  const level = (typeof input.flags.level === 'string' ? input.flags.level : 'info') as LogLevel
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    const count = typeof input.flags.count === 'number' ? input.flags.count : Number.POSITIVE_INFINITY
    await listen(open, { uris, level, count, json: input.json }, io)
    return EXIT_CODES.ok.code
  })
}

interface Wanted {
  readonly uris: readonly string[]
  readonly level: LogLevel
  /** How many messages are enough. */
  readonly count: number
  readonly json: boolean
}

async function listen({ client, label }: OpenTarget, { uris, level, count, json }: Wanted, io: Io): Promise<void> {
  let left = count
  const enough = new AbortController()
  const print = (line: string, value: object): void => {
    if (left <= 0) return
    io.out(json ? JSON.stringify({ at: new Date().toISOString(), ...value }) : line)
    if (--left <= 0) enough.abort()
  }
  const { capabilities } = client.server
  client.on('log', (message) => print(describeLog(message), { type: 'log', ...message }))
  client.on('warning', ({ message }) => io.say(`${io.paint.yellow('warning')}: ${toLine(message)}`))
  client.on('disconnect', () => io.say(`The connection to ${label} was lost; connecting again …`))
  if (capabilities.logging !== undefined) await client.setLogLevel(level)
  const filter = filterOf(capabilities, uris)
  if (Object.keys(filter).length > 0) {
    await client.subscribe(filter, (change) => print(describeChange(change), { type: 'change', ...change }))
  }
  io.say(`Listening to ${label}. Ctrl-C ends.`)
  let failure: Error | undefined
  client.on('close', (error) => {
    failure = error
    enough.abort()
  })
  await stayUntil(io.signal, enough.signal)
  if (failure !== undefined) throw failure
}

function filterOf(
  { tools, prompts, resources }: OpenTarget['client']['server']['capabilities'],
  uris: readonly string[],
): SubscriptionFilter {
  return {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
  }
}

function describeLog({ level, logger, data }: LogMessage): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '')
  return toLine(`log ${level} ${logger === undefined ? '' : `${logger}: `}${text}`, 2_000)
}

function describeChange(change: ChangeNotice): string {
  const what =
    change.kind === 'resource' ? `resource ${change.uri}` : change.kind === 'extension' ? change.method : change.kind
  return toLine(`changed ${what}`, 2_000)
}
