/** The result of a tool, handed to whoever called it: printed, written to a file, or as an error with its exit code. */

import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CallToolResult } from '@portico/sdk/client'
import { EXIT_CODES } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import { textOfResult } from '../terminal/content.ts'
import { counted } from '../terminal/counted.ts'
import type { Io } from '../terminal/io.ts'
import { toPlain } from '../terminal/plain-text.ts'
import { bytesOfResult, showResult } from '../terminal/show-result.ts'

export async function handResult(name: string, result: CallToolResult, input: CommandInput, io: Io): Promise<number> {
  if (input.json || result.isError !== true) await hand(result, input, io)
  if (result.isError !== true) return EXIT_CODES.ok.code
  const text = textOfResult(result)
  if (!input.json) io.say(`${io.paint.red('error')}: ${name} reports: ${toPlain(text)}`)
  return askedInVain(text, io) ? sayWhoAnswers(name, io) : EXIT_CODES.failed.code
}

/** Where nobody can be asked, a server that asks all the same gets a refusal, and mostly passes it on. */
function askedInVain(text: string, { interactive }: Io): boolean {
  return !interactive && /\belicit/i.test(text)
}

function sayWhoAnswers(name: string, io: Io): number {
  io.say(`  ${name} asks for something, and nobody can be asked here: run it in a terminal, or in \`portico start\`.`)
  return EXIT_CODES.denied.code
}

async function hand(result: CallToolResult, { flags, json }: CommandInput, io: Io): Promise<void> {
  const whole = json ? JSON.stringify(result) : undefined
  if (typeof flags.output !== 'string') return whole === undefined ? showResult(result, io) : io.out(whole)
  const bytes = whole === undefined ? bytesOfResult(result) : Buffer.from(`${whole}\n`)
  await writeFile(resolve(io.cwd, flags.output), bytes)
  io.say(`Written to ${flags.output}: ${counted(bytes.length, 'byte')}.`)
}
