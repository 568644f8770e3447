import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type ProtocolVersion } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createPrincipal, createServer, type Server, tool } from '@portico/sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliArguments, createFolder, runCli, startCli } from './cli.ts'

const TOKEN = 'a-token-of-the-upstream-server'

/** Asks in the middle of a call, which only the newest revision does by rounds. */
const createAsker = (versions: readonly ProtocolVersion[]): Server =>
  createServer({
    name: 'asker',
    version: '1.0.0',
    versions,
    instructions: 'Ask away.',
    tools: {
      ask: tool({ description: 'Asks for a name' }, async (_, ctx) => {
        const answer = await ctx.elicit('name', {
          message: 'Your name?',
          form: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        })
        return `Hello, ${answer.action === 'accept' ? String(answer.content?.name) : 'nobody'}`
      }),
      pid: tool({ description: 'Its process' }, () => String(process.pid)),
    },
  })

const PROGRAM = `import { createServer, tool } from '@portico/sdk/server'
export default createServer({ name: 'program', version: '1', versions: ['2025-06-18'], tools: {
  pid: tool({}, () => String(process.pid)),
  variable: tool({}, () => String(process.env.BRIDGED)),
} })
`

let folder: Awaited<ReturnType<typeof createFolder>>
let http: Awaited<ReturnType<typeof serveHttp>>
beforeAll(async () => {
  folder = await createFolder()
  await writeFile(join(folder.path, 'program.ts'), PROGRAM)
  http = await serveHttp(createAsker(['2026-07-28']), {
    port: 0,
    authenticate: (head) =>
      head.header('authorization') === `Bearer ${TOKEN}`
        ? createPrincipal('bridge')
        : { status: 401, message: 'who?', headers: ['www-authenticate', 'Bearer'] },
  })
})
afterAll(async () => {
  await http.close()
  await folder.close()
})

const place = () => ({ cwd: folder.path, env: folder.env })
const portico = (...words: string[]) => [process.execPath, ...cliArguments(), ...words] as const
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('portico bridge', () => {
  it('brings a protected server of the newest revision to an older client on standard streams, questions and all', async () => {
    const [command, ...args] = portico('bridge', http.url, '--header', `Authorization: Bearer ${TOKEN}`)
    const client = await connect(
      { command: command ?? '', args, cwd: folder.path, env: folder.env },
      {
        versions: '2025-06-18',
        elicitation: { form: async () => ({ action: 'accept', content: { name: 'Ada' } }) },
      },
    )
    expect(client.version).toBe('2025-06-18')
    expect(client.server).toMatchObject({ info: { name: 'asker', version: '1.0.0' }, instructions: 'Ask away.' })
    expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(['ask', 'pid'])
    expect(await client.callTool('ask')).toMatchObject({ content: [{ text: 'Hello, Ada' }] })
    const pid = client.process?.pid ?? 0
    await client.close()
    expect(isAlive(pid)).toBe(false)
  })

  it('brings a program to a port for those who have the token, and leaves no process behind (sec-4, sec-99)', async () => {
    const env = { ...folder.env, PORTICO_TOKEN: 'a-token-for-callers', BRIDGED: 'yes' }
    const words = ['bridge', '--http', '0', '--env', 'BRIDGED', '--', ...portico('run', 'program.ts')]
    const running = startCli(words, { cwd: folder.path, env })
    const [url] = await running.until('stdout', /http:\S+/)
    await expect(connect(url)).rejects.toThrow()
    const client = await connect(url, {
      versions: '2026-07-28',
      headers: { authorization: 'Bearer a-token-for-callers' },
    })
    const { content } = await client.callTool('pid')
    const [, text = ''] = /"text":"(\d+)"/.exec(JSON.stringify(content)) ?? []
    expect(isAlive(Number(text))).toBe(true)
    expect(await client.callTool('variable')).toMatchObject({ content: [{ text: 'yes' }] })
    await client.close()
    running.interrupt()
    const { code, stderr } = await running.ended
    expect(code).toBe(0)
    expect(stderr).not.toContain('a-token-for-callers')
    expect(isAlive(Number(text))).toBe(false)
  })

  it('makes up a token where none is set, and says it', async () => {
    const running = startCli(['bridge', '--http', '0', 'program.ts'], place())
    const [url] = await running.until('stdout', /http:\S+/)
    const [, token] = await running.until('stderr', /Authorization: Bearer (\S+)/)
    const client = await connect(url, { headers: { authorization: `Bearer ${token}` } })
    expect((await client.listTools()).length).toBe(2)
    await client.close()
    running.interrupt()
    await running.ended
  })

  it.each([
    [
      'a server that refuses us',
      ['bridge', () => http.url, '--header', 'Authorization: Bearer wrong'],
      5,
      'wants you to sign in',
    ],
    ['nothing there', ['bridge', 'http://127.0.0.1:9/mcp'], 4, '127.0.0.1:9'],
    ['a program that is not there', ['bridge', '--', 'no-such-program-x'], 4, 'no-such-program-x'],
    ['a name that nobody has', ['bridge', 'nobody'], 3, 'There is no server "nobody"'],
    [
      'an issuer without a resource',
      ['bridge', '--http', '0', '--issuer', 'https://a.example', 'program.ts'],
      2,
      '--resource',
    ],
    ['a variable that is not there', ['bridge', '--env', 'NOT_SET_X', 'program.ts'], 2, 'NOT_SET_X'],
  ])('given %s says so in one line', async (_, words, code, message) => {
    const ran = await runCli(
      words.map((word) => (typeof word === 'function' ? word() : word)),
      place(),
    )
    expect(ran.stderr).toContain(message)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).not.toMatch(/^\s+at /m)
    expect(ran.stderr).not.toContain('wrong')
  })
})
