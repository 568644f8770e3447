/** `portico faults`: a server and a client under faults, and what the command says where it cannot begin. */

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cliArguments, runCli } from './cli.ts'

const OWN = [process.execPath, ...cliArguments(), 'faults']

describe('portico faults', () => {
  it('tries a command beside Portico itself, with a row for each fault (reliability F1–F26)', async () => {
    const { code, stdout, stderr } = await runCli([
      'faults',
      '-n',
      '1',
      '--timeout',
      '60',
      '--json',
      '--',
      ...OWN,
      '--as-server',
    ])
    const { rows, portico } = JSON.parse(stdout)
    expect(rows.map(({ fault }: { fault: string }) => fault)).toEqual([
      'F0',
      'F2',
      'F5',
      'F6',
      'F7',
      'F12',
      'F16',
      'F22',
    ])
    expect(portico).toHaveLength(rows.length)
    for (const { account, unseen, ok } of [...rows, ...portico]) {
      expect(account).toMatchObject({ lost: 0, wrong: 0, hung: 0 })
      expect({ unseen, ok }).toEqual({ unseen: ['doubled', 'untrue'], ok: true })
    }
    expect(code).toBe(0)
    // Nobody waits for minutes without a word.
    expect(stderr).toContain('Each fault is tried 1 time')
    expect(stderr).toMatch(/: 3 of 8, F5 .*\n[\s\S]*portico[^\n]*: 8 of 8, F22 /)
  })

  it('tries a ready-made server by its name, as every other command takes it', async () => {
    const { stdout, stderr } = await runCli(['faults', '-n', '1', '--timeout', '60', '--json', '--', 'time'])
    const { subject, rows } = JSON.parse(stdout || '{}')
    expect({ subject, stderr }).toEqual({ subject: 'time', stderr: expect.stringContaining('Connecting to time') })
    for (const { account } of rows) expect(account.sent).toBeGreaterThan(0)
  }, 240_000)

  it('begins with a word, and names an option of its own where a program never answers', async () => {
    const words = ['faults', '--timeout', '1', '--', process.execPath, '-e', 'process.stdin.resume()']
    const { code, stderr } = await runCli(words)
    expect(code).toBe(4)
    expect(stderr).toMatch(/^Connecting to .*\n[\s\S]*within 1000 ms[\s\S]*--timeout <seconds>/)
    expect(stderr).not.toContain('startMs')
  })

  it('is no table where nothing was sent', async () => {
    // It serves once, to be asked for its tools, and never again.
    const once = `const {existsSync,writeFileSync}=require('fs');const f=process.argv[1];if(existsSync(f))process.exit(1);writeFileSync(f,'');const {spawnSync}=require('child_process');process.exit(spawnSync(process.execPath,process.argv.slice(2),{stdio:'inherit'}).status)`
    const mark = join(await mkdtemp(join(tmpdir(), 'portico-once-')), 'mark')
    const words = ['faults', '-n', '1', '--timeout', '60', '--tool', 'work', '--args', '{"nonce":"x","ms":1}', '--']
    const ran = await runCli([...words, process.execPath, '-e', once, mark, ...OWN.slice(1), '--as-server'])
    expect(ran).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('no call was sent') })
  })

  it.each([
    { words: [], says: '<server> is missing, or --client', code: 2 },
    { words: ['x', '--runs', '0'], says: 'neither a command nor an http URL', code: 2 },
    { words: ['https://x.example/mcp', '--client', 'node x.mjs'], says: 'two things', code: 2 },
    { words: ['http://127.0.0.1:9/mcp'], says: '127.0.0.1', code: 4 },
    { words: ['http://127.0.0.1:9/mcp', '--runs', '0'], says: '--runs takes a whole number', code: 2 },
    {
      words: ['--timeout', '1', '--client', `${process.execPath} -e setInterval(()=>{},1e3)`],
      says: 'the client made no call',
      code: 4,
    },
    {
      words: ['-n', '1', '--timeout', '1', '--client', `${process.execPath} -e process.exit(3)`],
      says: 'the client made no call',
      code: 4,
    },
    { words: ['-n', '1', '--timeout', '1', '--client', 'no-such-program-here'], says: 'was not found', code: 4 },
  ])('says what is wrong: $words', async ({ words, says, code }) => {
    const ran = await runCli(['faults', ...words])
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code, stderr: expect.stringContaining(says) })
  })
})
