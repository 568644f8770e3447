/** `portico call`: one tool, one result. */

import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CallToolResult, Progress, Tool } from '@portico/sdk/client'
import { EXIT_CODES } from '../../exit-codes.ts'
import { readArguments, usageOf } from '../parse/arguments.ts'
import type { CommandInput } from '../parse/command.ts'
import { findTool } from '../parse/find-tool.ts'
import { requestOptionsOf, targetOptionsOf, withTarget } from '../target/target.ts'
import { isPathOrUrl, splitTarget } from '../target/target-kind.ts'
import { textOfResult } from '../terminal/content.ts'
import { counted } from '../terminal/counted.ts'
import type { Io } from '../terminal/io.ts'
import { toLine, toPlain } from '../terminal/plain-text.ts'
import { bytesOfResult, showResult } from '../terminal/show-result.ts'
import { toTable } from '../terminal/table.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input, isPathOrUrl)
  const [name, ...words] = rest
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    const tools = await open.tools()
    if (name === undefined) return listTools(tools, input, io)
    const tool = findTool(tools, name, open.label)
    const json = typeof input.flags.args === 'string' ? input.flags.args : undefined
    const args = await readArguments(words, json, tool, io)
    io.progress(`calling ${name} …`)
    const options = {
      ...requestOptionsOf(input, io),
      onProgress: (step: Progress) => io.progress(describe(name, step)),
    }
    const result = await open.callTool(name, args, options)
    io.progress(undefined)
    if (input.json) io.out(JSON.stringify(result))
    else if (result.isError !== true) await hand(result, input, io)
    if (result.isError !== true) return EXIT_CODES.ok.code
    const text = textOfResult(result)
    if (!input.json) io.say(`${io.paint.red('error')}: ${name} reports: ${toPlain(text)}`)
    return askedInVain(text, io) ? sayWhoAnswers(name, io) : EXIT_CODES.failed.code
  })
}

/** Where nobody can be asked, a server that asks all the same gets a refusal, and mostly passes it on. */
function askedInVain(text: string, { interactive }: Io): boolean {
  return !interactive && /\belicit/i.test(text)
}

function sayWhoAnswers(name: string, io: Io): number {
  io.say(`  ${name} asks for something, and nobody can be asked here: run it in a terminal, or in \`portico start\`.`)
  return EXIT_CODES.denied.code
}

async function hand(result: CallToolResult, { flags }: CommandInput, io: Io): Promise<void> {
  if (typeof flags.output !== 'string') return showResult(result, io)
  const bytes = bytesOfResult(result)
  await writeFile(resolve(io.cwd, flags.output), bytes)
  io.say(`Written to ${flags.output}: ${counted(bytes.length, 'byte')}.`)
}

function listTools(tools: readonly Tool[], input: CommandInput, io: Io): number {
  if (input.json) io.out(JSON.stringify(tools))
  else if (tools.length > 0)
    io.out(
      toTable(
        tools.map((tool) => [tool.name, usageOf(tool)]),
        io,
      ),
    )
  io.say(tools.length === 0 ? 'There are no tools.' : 'Name one of them to call it.')
  return EXIT_CODES.ok.code
}

function describe(name: string, { progress, total, message }: Progress): string {
  const part = total === undefined ? String(progress) : `${progress}/${total}`
  return toLine(`${name} ${part}${message === undefined ? '' : ` ${message}`}`)
}
