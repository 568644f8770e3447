import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, type Ran, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))
const SERVER = `${process.execPath} ${FIXTURE}`

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  await mkdir(join(folder.path, 'config'))
  await writeFile(join(folder.path, 'config', 'portico.json'), JSON.stringify({ servers: { desk: { command: 'x' } } }))
})
afterAll(() => folder.close())

const run = (...words: string[]): Promise<Ran> => runCli(words, { cwd: folder.path, env: folder.env })

describe.concurrent('portico itself', () => {
  it('tells its version, its commands, and one command in full', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' })
    expect((await run('--help')).stdout).toMatch(/use servers\n {2}call[\s\S]*look closer/)
    const help = await run('call', '--help')
    expect(help).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/usage[\s\S]*--args <json>[\s\S]*examples/),
    })
    expect((await run('help', 'call')).stdout).toBe(help.stdout)
  })

  it.each([
    { words: ['cal'], says: 'Did you mean `portico call`?' },
    { words: ['frobnicate'], says: 'There is no command "frobnicate"' },
    { words: ['call'], says: '<server> is missing' },
    { words: ['call', 'x', '--timeout', 'soon'], says: '--timeout takes a number, not "soon"' },
  ])('answers $words with 2 and what to do', async ({ words, says }) => {
    expect(await run(...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) })
  })

  it('has colour only where it is wanted', async () => {
    const env = (more: { [name: string]: string }) => ({ ...folder.env, ...more })
    const plain = await runCli(['cal'], { cwd: folder.path, env: env({ NO_COLOR: '' }) })
    const forced = await runCli(['cal'], { cwd: folder.path, env: env({ NO_COLOR: '', FORCE_COLOR: '1' }) })
    const neither = await runCli(['cal'], { cwd: folder.path, env: env({ NO_COLOR: '1', FORCE_COLOR: '1' }) })
    expect([plain, forced, neither].map(({ stderr }) => stderr.includes('\u001B['))).toEqual([false, true, false])
  })
})

describe.concurrent('portico doctor', () => {
  it('looks at the machine, and fails for what does not work', async () => {
    const { code, stdout } = await run('doctor', '--json')
    const checks: { status: string; what: string }[] = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(checks.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['Node', 'state', 'configuration', 'rules', 'models', 'audit', 'desk']),
    )
  })

  it('looks at one server, step by step', async () => {
    expect(await run('doctor', SERVER)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok\tconnection\t[\s\S]*ok\ttools\t7/),
    })
    const gone = await run('doctor', 'http://127.0.0.1:1/mcp')
    expect(gone).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^fail\tconnection\t.*Nothing listens/),
      stderr: expect.stringContaining('Start the server there'),
    })
  })
})

describe.concurrent('portico conformance', () => {
  it('tries every revision that a server speaks, and its HTTP', async () => {
    const echo = tool({ description: 'Echo', input: { type: 'object' } }, () => 'echo')
    const server = createServer({ name: 'tried', version: '1.0.0', tools: { echo } })
    const http = await serveHttp(server, { port: 0 })
    try {
      const { code, stdout, stderr } = await run('conformance', http.url, '--json')
      const { revisions, results } = JSON.parse(stdout)
      expect([code, revisions.length, stderr]).toEqual([0, 5, expect.stringContaining('0 failed')])
      expect(results.filter(({ outcome }: { outcome: string }) => outcome === 'fail')).toEqual([])
      expect(
        results.some(
          ({ revision, outcome }: { revision: string; outcome: string }) => revision === 'http' && outcome === 'pass',
        ),
      ).toBe(true)
    } finally {
      await http.close()
    }
  })

  it('fails with 1 for a server that answers what it should refuse', async () => {
    const lenient = `process.stdin.setEncoding('utf8');let b='';process.stdin.on('data',d=>{b+=d;let i;while((i=b.indexOf('\\n'))>=0){const m=JSON.parse(b.slice(0,i));b=b.slice(i+1);if(m.id===undefined)continue;const r=m.method==='initialize'?{protocolVersion:m.params.protocolVersion,capabilities:{tools:{}},serverInfo:{name:'lenient',version:'1'}}:m.method==='tools/list'?{tools:[]}:{content:[]};process.stdout.write(JSON.stringify({jsonrpc:'2.0',id:m.id,result:r})+'\\n')}})`
    const file = join(folder.path, 'lenient.cjs')
    await writeFile(file, lenient)
    const { code, stdout } = await run('conformance', '--protocol', '2025-11-25', '--', process.execPath, file)
    expect(code).toBe(1)
    expect(stdout).toMatch(/fail\tanswers an unknown method with -32601\t.*as if it were there/)
  })

  it('says at once when nobody is there', async () => {
    expect(await run('conformance', 'http://127.0.0.1:1/mcp')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('Nothing listens'),
    })
  })
})

describe.concurrent('portico policy and audit', () => {
  it('reports rules that cannot work, with 1', async () => {
    const file = join(folder.path, 'rules.json')
    const rules = [
      { id: 'a', outcome: 'deny', effect: 'call' },
      { id: 'b', outcome: 'allow', effect: 'call', server: 'desk' },
      { id: 'c', outcome: 'perhaps' },
    ]
    await writeFile(file, JSON.stringify({ policy: { rules } }))
    const { code, stdout } = await run('policy', 'lint', file)
    expect(code).toBe(1)
    expect(stdout).toMatch(/invalid\trules\[2\]\.outcome/)
    expect(stdout).toMatch(/unreachable\tb\t/)
    expect(await run('policy', 'lint')).toMatchObject({ code: 0, stdout: '' })
  })

  it.each([
    { words: ['policy', 'frob'], code: 2, says: 'there is no action "frob"' },
    { words: ['policy', 'lint', 'missing.json'], code: 3, says: 'There is no file' },
    { words: ['policy', 'explain', 'dance', 'desk'], code: 2, says: 'there is no effect "dance"' },
    { words: ['audit', 'frob'], code: 2, says: 'there is no "frob"' },
    { words: ['audit', 'search', '--since', 'yore'], code: 2, says: '--since takes 30m' },
    { words: ['audit', 'verify', '--file', 'missing.jsonl'], code: 3, says: 'There is no file' },
    { words: ['completion', 'tcsh'], code: 2, says: 'there is no script for "tcsh"' },
  ])('refuses $words with $code', async ({ words, code, says }) => {
    expect(await run(...words)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) })
  })
})
