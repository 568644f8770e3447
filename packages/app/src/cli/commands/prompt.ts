/** `portico prompt`: a prompt filled in, message by message. */

import { nearestName } from '@portico/host/text'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import { requestOptionsOf, targetOptionsOf, withTarget } from '../target/target.ts'
import { isServerWord, splitTarget } from '../target/target-kind.ts'
import { textOfBlock } from '../terminal/content.ts'
import type { Io } from '../terminal/io.ts'
import { toShown } from '../terminal/plain-text.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input, isServerWord)
  const [name, ...words] = rest
  if (name === undefined) throw new CliError('usage', 'prompt: <prompt> is missing: the name of the prompt')
  const args = Object.fromEntries(words.map(splitPair))
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    const prompts = await open.prompts()
    const prompt = prompts.find((one) => one.name === name)
    if (prompt === undefined) {
      const near = nearestName(
        name,
        prompts.map((one) => one.name),
      )
      const remedy =
        near === undefined ? '`portico list <server> prompts` shows what it has.' : `Did you mean "${near}"?`
      throw new CliError('not-found', `${open.label} has no prompt "${name}"`, remedy)
    }
    const missing = (prompt.arguments ?? []).find((one) => one.required === true && !Object.hasOwn(args, one.name))
    if (missing !== undefined) {
      throw new CliError(
        'usage',
        `${missing.name} is missing${missing.description === undefined ? '' : `: ${missing.description}`}`,
      )
    }
    const result = await open.getPrompt(name, args, requestOptionsOf(input, io))
    if (input.json) io.out(JSON.stringify(result))
    else for (const { role, content } of result.messages) io.out(`${role}: ${toShown(textOfBlock(content), io)}`)
    return EXIT_CODES.ok.code
  })
}

function splitPair(word: string): [string, string] {
  const at = word.indexOf('=')
  if (at <= 0) throw new CliError('usage', `"${word}" is not an argument`, "Write the prompt's arguments as key=value.")
  return [word.slice(0, at), word.slice(at + 1)]
}
