import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliArguments, createFolder, runCli, startCli } from './cli.ts'

const COUNTER = `import { createServer, resource, prompt, tool, ToolError } from '@portico/sdk/server'
let count = 0
export default createServer({ name: 'counter', version: '4.5.6', instructions: 'Counts.', tools: {
  next: tool({ description: 'The next number' }, () => String(++count)),
  slow: tool({ description: 'Slow' }, () => new Promise((resolve) => setTimeout(() => resolve('late'), 600_000))),
  fail: tool({ description: 'Fails' }, () => { throw new ToolError('on purpose') }),
}, resources: { note: resource({ uri: 'note:1' }, () => 'text ' + ++count) }, prompts: { hi: prompt({}, () => 'hi ' + ++count) } })
`

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  await writeFile(join(folder.path, 'counter.ts'), COUNTER)
  await writeFile(join(folder.path, 'other.json'), '{"a":1}\n')
})
afterAll(() => folder.close())

const place = () => ({ cwd: folder.path, env: folder.env })
const portico = (...words: string[]) => ({
  command: process.execPath,
  args: [...cliArguments(), ...words],
  cwd: folder.path,
  env: folder.env,
})

describe('portico record and replay', () => {
  it('between a client and a server: the recording answers the same calls the same way', async () => {
    const play = async (target: Parameters<typeof connect>[0]) => {
      const client = await connect(target)
      const { name, version } = client.server.info ?? {}
      const heard = {
        server: [name, version],
        // A gateway lists by name, a recording as it was.
        tools: (await client.listTools()).map((tool) => tool.name).sort(),
        calls: [(await client.callTool('next')).content, (await client.callTool('next')).content],
        failed: await client.callTool('fail'),
        read: (await client.readResource('note:1')).contents,
        prompt: (await client.getPrompt('hi')).messages,
      }
      await client.close()
      return JSON.parse(JSON.stringify(heard, (key, value) => (key === '_meta' ? undefined : value)))
    }
    const recorded = await play(portico('record', 'session.jsonl', 'counter.ts'))
    expect(recorded).toMatchObject({ server: ['counter', '4.5.6'], tools: ['fail', 'next', 'slow'] })
    expect(await play(portico('replay', 'session.jsonl'))).toEqual(recorded)
    expect((await stat(join(folder.path, 'session.jsonl'))).mode & 0o077).toBe(0)
  })

  it('makes the calls that it is given, and ends', async () => {
    const words = ['record', 'calls.jsonl', '--json', '--call', 'next', '--call', 'fail {}', 'counter.ts']
    const { code, stdout, stderr } = await runCli(words, place())
    expect(stderr).toContain('ok next')
    expect(stderr).toContain('failed fail')
    expect(code).toBe(0)
    const lines = (await readFile(join(folder.path, 'calls.jsonl'), 'utf8')).trim().split('\n')
    expect(JSON.parse(stdout)).toMatchObject({ file: 'calls.jsonl', messages: lines.length - 1 })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ portico: 'recording', servers: [{ name: 'counter' }] })
  })

  it('ends on Ctrl-C in the middle of a call, and keeps what was recorded', async () => {
    const program = [process.execPath, ...cliArguments(), 'run', 'counter.ts']
    const words = ['record', 'cut.jsonl', '--call', 'next', '--call', 'slow', '--', ...program]
    const running = startCli(words, place())
    await running.until('stderr', /ok next/)
    running.interrupt()
    const { code, stdout, stderr } = await running.ended
    expect([code, stdout]).toEqual([130, ''])
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(await readFile(join(folder.path, 'cut.jsonl'), 'utf8')).toContain('"name":"next"')
  })

  it('serves a recording on a port until Ctrl-C', async () => {
    const running = startCli(['replay', 'session.jsonl', '--http', '0'], place())
    const [url] = await running.until('stdout', /http:\S+/)
    const client = await connect(url)
    expect(await client.callTool('next')).toMatchObject({ content: [{ text: '1' }] })
    await client.close()
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  it.each([
    ['a file that is there already', ['record', 'counter.ts', '--call', 'next', 'counter.ts'], 1, 'is there already'],
    [
      'a call that is no JSON',
      ['record', 'x.jsonl', '--call', 'next {', 'counter.ts'],
      2,
      'takes a tool and a JSON object',
    ],
    [
      'a server that does not answer',
      ['record', 'x.jsonl', '--call', 'next', 'http://127.0.0.1:9/mcp'],
      4,
      '127.0.0.1:9',
    ],
    [
      'a program that is not there',
      ['record', 'x.jsonl', '--call', 'a', '--', 'no-such-program-x'],
      4,
      'no-such-program-x',
    ],
    ['no recording', ['replay', 'other.json'], 1, 'is no recording'],
    ['nothing', ['replay', 'gone.jsonl'], 3, 'gone.jsonl'],
  ])('given %s says so in one line', async (_, words, code, message) => {
    const ran = await runCli(words, place())
    expect(ran.stderr).toContain(message)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).not.toMatch(/^\s+at /m)
  })
})
