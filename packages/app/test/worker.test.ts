/** `portico worker`: the tasks of a definition, run by a process that serves nobody. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openState } from '@portico/host/state'
import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, startCli } from './cli.ts'

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.close())

const DEFINITION = `
import { openState } from '@portico/host/state'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
const { store, bus } = await openState({ sqlite: 'state.db' })
const tasks = createTasks({ store, bus, work: process.env.PORTICO_WORKER === '1' })
const stamp = tool({ description: 'Stamps', task: 'required' }, () => 'stamped by process ' + process.pid)
export default createServer({ name: 'office', version: '1', tasks, tools: { stamp } })
`

describe('portico worker', () => {
  it('does the tasks that another process was asked for, and ends with Ctrl-C (stores 4)', async () => {
    await writeFile(join(folder.path, 'office.ts'), DEFINITION)
    const worker = startCli(['worker', 'office.ts'], { cwd: folder.path, env: folder.env })
    await worker.until('stderr', /office: working on tasks of stamp/)
    const { store, bus, close } = await openState({ sqlite: join(folder.path, 'state.db') })
    const tasks = createTasks({ store, bus, work: false })
    const stamp = tool({ description: 'Stamps', task: 'required' }, () => 'stamped by the process that answers')
    const client = await connect(createServer({ name: 'office', version: '1', tasks, tools: { stamp } }))
    const { content } = await client.callTool('stamp')
    expect(content).toMatchObject([{ text: `stamped by process ${worker.child.pid}` }])
    await client.close()
    tasks.close()
    await close()
    worker.interrupt()
    expect((await worker.ended).code).toBe(0)
  }, 60_000)

  it('says so when the definition has no tool that becomes a task (stores 4)', async () => {
    const plain =
      "import { createServer } from '@portico/sdk/server'\nexport default createServer({ name: 'plain', version: '1' })\n"
    await writeFile(join(folder.path, 'plain.ts'), plain)
    const { code, stderr } = await startCli(['worker', 'plain.ts'], { cwd: folder.path, env: folder.env }).ended
    expect(code).toBe(1)
    expect(stderr).toContain('plain.ts has no tool that becomes a task')
  }, 60_000)

  it.each([
    ['createTasks()', ''],
    ['createTasks({ store: createMemoryStore() })', "import { createMemoryStore } from '@portico/sdk/state'\n"],
  ])(
    'refuses %s: no other process can hand it work (newcomer 16)',
    async (made, more) => {
      const memory = `${more}import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
const stamp = tool({ description: 'Stamps', task: 'required' }, () => 'stamped')
export default createServer({ name: 'office', version: '1', tasks: ${made}, tools: { stamp } })
`
      await writeFile(join(folder.path, 'memory.ts'), memory)
      const { code, stderr } = await startCli(['worker', 'memory.ts'], { cwd: folder.path, env: folder.env }).ended
      expect(code).toBe(1)
      expect(stderr).toContain('memory.ts keeps its tasks in the memory of each process')
      expect(stderr).toContain('`store`')
    },
    60_000,
  )
})
