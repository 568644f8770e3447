/** `portico worker`: runs the tasks of a definition, and answers nobody. */

import { sharesTasks } from '@portico/sdk/internal'
import { loadDefinition } from '../../definition/load.ts'
import { CliError } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import type { Io } from '../terminal/io.ts'
import { leaveSoon, stayUntil } from '../terminal/stay-until.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [file = ''] = input.positionals
  // So that the definition can tell: `createTasks({ work: process.env.PORTICO_WORKER === '1' })`.
  process.env.PORTICO_WORKER = '1'
  const { server, close } = await loadDefinition(file, io)
  try {
    const tools = server.catalogue().tools.filter(({ execution }) => execution !== undefined)
    if (tools.length === 0) {
      const remedy =
        'Give a tool `task`, and the server `tasks: createTasks({ store, bus })` with a store that processes share.'
      throw new CliError('failed', `${file} has no tool that becomes a task`, remedy)
    }
    if (!sharesTasks(server)) {
      const message = `${file} keeps its tasks in the memory of each process, so that a worker never gets any`
      const remedy =
        'Give `createTasks` a `store` and a `bus` that processes share: those of `await openState({ sqlite: "state.db" })` of @portico/host/state, or with `redis` or `postgres`.'
      throw new CliError('failed', message, remedy)
    }
    io.say(`${server.info.name}: working on tasks of ${tools.map(({ name }) => name).join(', ')}. Ctrl-C ends it.`)
    await stayUntil(io.signal)
  } finally {
    await close()
    leaveSoon()
  }
  return 0
}
