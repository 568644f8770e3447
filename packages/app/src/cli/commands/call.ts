/** `portico call`: one tool, one result. */

import type { JsonObject, Progress, RequestOptions, Tool } from '@portico/sdk/client'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { readArguments, usageOf } from '../parse/arguments.ts'
import type { CommandInput } from '../parse/command.ts'
import { findTool } from '../parse/find-tool.ts'
import { againOf, requestOptionsOf, targetOptionsOf, withTarget } from '../target/target.ts'
import { isServerWord, splitTarget, type TargetKind, wordOf } from '../target/target-kind.ts'
import { handResult } from '../tasks/hand-result.ts'
import { sayTask } from '../tasks/task-words.ts'
import { type TaskCommand, waitForResult } from '../tasks/wait-for-result.ts'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import { toTable } from '../terminal/table.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input, isServerWord)
  const [name, ...words] = rest
  const asTask = input.flags.task === true
  if (input.flags.wait === true && !asTask) {
    const remedy =
      'Write `--task --wait` to leave the task running on Ctrl-C. Without either, the result is waited for.'
    throw new CliError('usage', 'call: --wait belongs to --task', remedy)
  }
  return withTarget(target, io, { ...targetOptionsOf(input), acts: true, leavesQuestions: asTask }, async (open) => {
    const tools = await open.tools()
    if (name === undefined) return listTools(tools, input, io)
    const isMissing = tools.every((tool) => tool.name !== name)
    const tool = findTool(tools, name, open.label, isMissing ? await addedBy(target, name) : undefined)
    const json = typeof input.flags.args === 'string' ? input.flags.args : undefined
    const args = await readArguments(words, json, tool, io)
    io.progress(`calling ${name} …`)
    const options = {
      ...requestOptionsOf(input, io),
      onProgress: (step: Progress) => io.progress(describe(name, step)),
    }
    if (asTask) return callAsTask({ open, input, io, server: againOf(target, input) }, name, args, options)
    const result = await open.callTool(name, args, options)
    io.progress(undefined)
    return handResult(name, result, input, io)
  })
}

/** Begins a task and prints it, or, with `--wait`, what it comes to. */
async function callAsTask(
  command: TaskCommand,
  name: string,
  args: JsonObject,
  options: RequestOptions,
): Promise<number> {
  const { open, input, io, server } = command
  const { task, result } = await open.tasks.start(name, args, options)
  io.progress(undefined)
  if (task === undefined) {
    io.say(`${name} answered at once: there is no task.`)
    return handResult(name, result, input, io)
  }
  if (input.flags.wait === true) return waitForResult(command, task)
  sayTask(task, input.json, io)
  io.say(
    open.tasks.endsWithCommand
      ? `The server ends with this command, and the task with it unless the server keeps tasks in a store: \`--wait\` waits for the result, \`portico tasks watch ${server} ${task.label}\` follows one that is kept.`
      : `It goes on by itself: \`portico tasks watch ${server} ${task.label}\` follows it, \`result\` waits for what it comes to, \`cancel\` ends it.`,
  )
  return EXIT_CODES.ok.code
}

/** A ready-made server may have it once an option allows changes. */
async function addedBy(target: TargetKind, tool: string): Promise<string | undefined> {
  if (target.kind !== 'name' || target.args === undefined) return undefined
  const { optionThatAdds } = await import('../target/ready-made.ts')
  const option = await optionThatAdds(target.name, target.args, tool)
  const again = `portico call ${toLine(tool)} … -- ${wordOf(target)}`
  return option && `\`${option}\` adds it: \`${again} ${option}\`.`
}

function listTools(tools: readonly Tool[], input: CommandInput, io: Io): number {
  if (input.json) io.out(JSON.stringify(tools))
  else if (tools.length > 0)
    io.out(
      toTable(
        tools.map((tool) => [tool.name, usageOf(tool)]),
        io,
        0,
      ),
    )
  io.say(tools.length === 0 ? 'There are no tools.' : 'Name one of them to call it.')
  return EXIT_CODES.ok.code
}

function describe(name: string, { progress, total, message }: Progress): string {
  const part = total === undefined ? String(progress) : `${progress}/${total}`
  return toLine(`${name} ${part}${message === undefined ? '' : ` ${message}`}`)
}
