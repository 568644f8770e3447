/** Tasks on the command line: begun, remembered, followed, fetched and cancelled, with servers of either generation. */

import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, type Ran, runCli, startCli } from './cli.ts'

let folder: Awaited<ReturnType<typeof createFolder>>
type Serving = Awaited<ReturnType<typeof serve>>
const serving = new Map<string, Serving>()

const GENERATIONS = [
  ['2025-11-25', '2025-11-25 tasks'],
  ['2026-07-28', '2026-07-28 tasks extension'],
] as const

const YEAR = { type: 'object', properties: { year: { type: 'integer' } }, required: ['year'] } as const

/** A server whose slow tool is done when the test says so. */
async function serve(version: (typeof GENERATIONS)[number][0]) {
  const waiting: (() => void)[] = []
  const cancelled: string[] = []
  /** Tasks that somebody has asked about. */
  const looks = new Set<string>()
  const task = { mode: 'required', pollIntervalMs: 100 } as const
  const server = createServer({
    name: 'reports',
    version: '1',
    versions: [version],
    tasks: createTasks({ onTask: ({ type, taskId = '' }) => void (type === 'accessed' && looks.add(taskId)) }),
    tools: {
      late: tool({ description: 'Asks late', task }, async (_args, ctx) => {
        await ctx.step('waits', () => new Promise<void>((resolve) => waiting.push(resolve)))
        const { content } = await ctx.elicit('year', { message: 'Which year?', form: YEAR })
        return `The year is ${content?.year}`
      }),
      slow: tool({ description: 'Slow', task }, async (_args, ctx) => {
        ctx.progress(1, 2, 'half of it')
        ctx.signal.addEventListener('abort', () => cancelled.push('slow'))
        await new Promise<void>((resolve) => waiting.push(resolve))
        return 'forty-two'
      }),
      fast: tool({ description: 'Fast', task }, () => 'at once, as a task'),
      survey: tool({ description: 'Asks', task }, async (_args, ctx) => {
        const { content } = await ctx.elicit('year', { message: 'Which year?', form: YEAR })
        return `The year is ${content?.year}`
      }),
      inline: tool({ description: 'Asks without a task' }, async (_args, ctx) => {
        const { content } = await ctx.elicit('year', { message: 'Which year?', form: YEAR })
        return `The year is ${content?.year}`
      }),
      plain: tool({ description: 'Plain' }, () => 'no task'),
    },
  })
  const http = await serveHttp(server, { port: 0 })
  return { http, cancelled, waiting, looks, release: () => waiting.splice(0).forEach((done) => void done()) }
}

beforeAll(async () => {
  folder = await createFolder()
  for (const [version] of GENERATIONS) serving.set(version, await serve(version))
})
afterAll(async () => {
  for (const { http, release } of serving.values()) {
    release()
    await http.close()
  }
  await folder.close()
})

const run = (words: readonly string[]): Promise<Ran> => runCli(words, { cwd: folder.path, env: folder.env })

describe.each(GENERATIONS)('portico tasks with %s (host 31)', (version, generation) => {
  const at = () => serving.get(version) as Serving
  const url = () => String(at().http.url)
  const begin = async (...more: string[]): Promise<{ readonly task: string; readonly taskId: string }> => {
    const { code, stdout } = await run(['call', url(), 'slow', '--task', '--json', ...more])
    expect(code).toBe(0)
    return JSON.parse(stdout)
  }

  it('begins one, shows it, lists it and fetches its result from another process', async () => {
    const begun = await begin()
    expect(begun).toMatchObject({ tool: 'slow', status: 'working', generation })
    const shown = await run(['tasks', 'show', url(), begun.task.slice(0, 6), '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ task: begun.task, status: 'working', statusMessage: 'half of it' })
    const { stdout } = await run(['tasks', 'list', url()])
    expect(stdout).toContain(`${begun.task}\tworking\tslow\t${generation}`)
    const result = startCli(['tasks', 'result', url(), begun.taskId], { cwd: folder.path, env: folder.env })
    at().release()
    expect(await result.ended).toMatchObject({ code: 0, stdout: 'forty-two\n' })
    expect(JSON.parse((await run(['tasks', 'show', url(), begun.task, '--json'])).stdout).status).toBe('completed')
  })

  it('leaves one that has a question alone where nobody can be asked', async () => {
    const client = await connect(url(), { elicitation: { form: () => ({ action: 'cancel' }) } })
    const { task } = await client.startTool('survey', {})
    const taskId = task?.taskId ?? ''
    const status = async () => (await (await client.resumeTask(taskId)).status()).status
    await expect.poll(status).toBe('input_required')
    const { code, stderr } = await run(['tasks', 'result', url(), taskId])
    // On 2025-11-25 nobody but who answers is shown what is asked.
    const asked = version === '2025-11-25' ? '' : '[\\s\\S]*“Which year\\?”'
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(new RegExp(`has a question${asked}[\\s\\S]*in a terminal`)),
    ])
    expect(await status()).toBe('input_required')
    expect((await run(['tasks', 'show', url(), taskId])).stderr).toContain('has a question')
    await client.close()
  })

  it('says so where one comes to ask while a script waits for its result, and leaves the question', async () => {
    const client = await connect(url(), { elicitation: { form: () => ({ action: 'cancel' }) } })
    const { task } = await client.startTool('late', {})
    const taskId = task?.taskId ?? ''
    const status = async () => (await (await client.resumeTask(taskId)).status()).status
    const waits = startCli(['tasks', 'result', url(), taskId], { cwd: folder.path, env: folder.env })
    await expect.poll(() => at().looks.has(taskId)).toBe(true)
    at().release()
    expect(await waits.ended).toMatchObject({ code: 5, stderr: expect.stringMatching(/has a question/) })
    expect(await status()).toBe('input_required')
    await client.close()
  })

  it('lets the question of one that a script began wait for somebody who answers (newcomer 22)', async () => {
    const { code, stdout } = await run(['call', url(), 'late', '--task', '--json'])
    expect(code).toBe(0)
    const { taskId } = JSON.parse(stdout)
    await expect.poll(() => at().waiting.length).toBeGreaterThan(0)
    at().release()
    const client = await connect(url(), {
      elicitation: { form: () => ({ action: 'accept', content: { year: 1910 } }) },
    })
    const resumed = await client.resumeTask(taskId)
    await expect.poll(async () => (await resumed.status()).status).toBe('input_required')
    const fetched = await run(['tasks', 'result', url(), taskId])
    expect([fetched.code, fetched.stderr]).toEqual([5, expect.stringMatching(/has a question/)])
    expect((await resumed.result()).content).toMatchObject([{ text: 'The year is 1910' }])
    await client.close()
  })

  it('names what is asked before there is a task, where nobody can be asked (newcomer 22)', async () => {
    const { code, stderr } = await run(['call', url(), 'inline', '--task'])
    expect([code, stderr]).toEqual([
      5,
      expect.stringMatching(/inline has a question.*“Which year\?”[\s\S]*in a terminal/),
    ])
  })

  it('watches one until it is over, a JSON document a line, and cancels one', async () => {
    const { task } = await begin()
    const watch = startCli(['tasks', 'watch', url(), task, '--json'], { cwd: folder.path, env: folder.env })
    await watch.until('stdout', /"status":"working"/)
    expect(await run(['tasks', 'cancel', url(), task])).toEqual({ code: 0, stdout: '', stderr: 'Cancelled.\n' })
    const lines = (await watch.ended).stdout.trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ task, status: 'cancelled', generation })
    expect(at().cancelled).toContain('slow')
    // It was asked many times, and told of only where something had changed (newcomer 22).
    const told = lines.map((line) => [JSON.parse(line).status, JSON.parse(line).statusMessage].join(' '))
    expect(new Set(told).size).toBe(told.length)
  })
})

describe('portico call with a tool that becomes a task (host 31)', () => {
  const at = () => serving.get('2026-07-28') as Serving
  const url = () => String(at().http.url)

  it('follows it to its end, and waits with --task --wait', async () => {
    for (const more of [[], ['--task', '--wait']]) {
      const expected = { code: 0, stdout: 'at once, as a task\n', stderr: '' }
      expect(await run(['call', url(), 'fast', ...more])).toEqual(expected)
    }
  })

  it('names in its hint what the server was reached by, and no secret (tasks 21)', async () => {
    const reached = ['--header', 'X-Key: secret-word', '--protocol', '2026-07-28']
    const { stderr } = await run(['call', url(), 'slow', '--task', ...reached])
    expect(stderr).toContain(`portico tasks watch ${url()} --header 'X-Key: …' --protocol 2026-07-28 `)
    expect(stderr).not.toContain('secret-word')
    at().release()
  })

  it('tells whoever begins one with a program of the command that it ends with it', async () => {
    const file = join(folder.path, 'office.ts')
    await writeFile(
      file,
      `import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
const slow = tool({ task: 'required' }, (_args, ctx) => ctx.sleep(60_000))
export default createServer({ name: 'office', version: '1', tasks: createTasks(), tools: { slow } })`,
    )
    const { code, stderr } = await run(['call', file, 'slow', '--task'])
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The server ends with this command, and the task with it'),
    ])
  })

  it('says so where a tool answers at once', async () => {
    const { code, stdout, stderr } = await run(['call', url(), 'plain', '--task'])
    expect([code, stdout, stderr]).toEqual([0, 'no task\n', 'plain answered at once: there is no task.\n'])
  })

  it.each<[string, string[], string, string[]]>([
    ['leaves it running on Ctrl-C with --wait', ['--task', '--wait'], 'The task goes on: `portico tasks result', []],
    ['cancels it on Ctrl-C of a plain call', [], '', ['slow']],
  ])('%s', async (_what, more, says, ended) => {
    const { waiting, cancelled } = at()
    at().release()
    cancelled.splice(0)
    const calling = startCli(['call', url(), 'slow', ...more], { cwd: folder.path, env: folder.env })
    await expect.poll(() => waiting.length).toBe(1)
    // With --wait, the id has to be remembered before anybody leaves.
    const list = async () => (await run(['tasks', 'list', url()])).stdout
    if (more.length > 0) await expect.poll(list).toContain('working')
    calling.interrupt()
    expect(await calling.ended).toMatchObject({ code: 130, stderr: expect.stringContaining(says) })
    await expect.poll(() => cancelled).toEqual(ended)
    at().release()
  })
})

describe('portico tasks', () => {
  it.each<{ what: string; words: () => string[]; code: number; says: RegExp }>([
    { what: 'no action', words: () => ['tasks'], code: 2, says: /action.* is missing|what is to be done/ },
    {
      what: 'a near name',
      words: () => ['tasks', 'lst', 'http://127.0.0.1:1/'],
      code: 2,
      says: /Did you mean `portico tasks list`\?/,
    },
    {
      what: 'an unknown task',
      words: () => ['tasks', 'show', String(serving.get('2026-07-28')?.http.url), 'nonsense'],
      code: 3,
      says: /knows no such task|forgotten/,
    },
    {
      what: 'a server without tasks',
      words: () => ['tasks', 'show', 'time', 'nonsense'],
      code: 1,
      says: /error: /,
    },
  ])('says what is wrong and what to do: $what', async ({ words, code, says }) => {
    expect(await run(words())).toMatchObject({ code, stderr: expect.stringMatching(says) })
  })

  it('keeps what it remembers sealed and for its owner alone (sec-400)', async () => {
    const url = String(serving.get('2026-07-28')?.http.url)
    const { stdout } = await run(['call', url, 'slow', '--task', '--json'])
    const { taskId } = JSON.parse(stdout)
    const state = join(folder.path, 'state')
    const files = (await readdir(state)).filter((name) => name.startsWith('tasks.json'))
    expect(files).toContain('tasks.json')
    for (const name of files) {
      if (process.platform !== 'win32') expect((await stat(join(state, name))).mode & 0o077).toBe(0)
      expect(await readFile(join(state, name), 'latin1')).not.toContain(taskId)
    }
    serving.get('2026-07-28')?.release()
  })
})
