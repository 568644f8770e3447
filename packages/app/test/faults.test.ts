/** `portico faults`: a server and a client under faults, and what the command says where it cannot begin. */

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
    expect(stderr).toMatch(/: 3 of 8, F5 .*\n[\s\S]*portico: 8 of 8, F22 /)
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
