/**
 * What answers and lists of tools weigh beside those of published servers: the bytes that a model pays for, and the time. Ends
 * with an error where ours are more than 1.2 times as long or slower, or where a list is more than half of what it was when
 * results were given twice.
 */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@portico/sdk/client'
import type { ServerName } from '@portico/servers'
import { type Compared, compare, connectOurs, connectTheirs, line, type Side } from './bench-sides.ts'

const MOST_BYTES = 1.2
/** A machine that does other things meanwhile favours now one and now the other: one of so many comparisons must hold. */
const TRIES = 3

interface AnswerCase {
  readonly name: string
  readonly ours: (round: number) => Side
  readonly theirs: (round: number) => Side
  readonly rounds?: number
  /** Shown and not held: ours does more. */
  readonly anyTime?: boolean
}

export async function benchAnswers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-lab-answers-'))
  const open: Client[] = []
  const keep = (client: Client): Client => {
    open.push(client)
    return client
  }
  try {
    makeFolders(folder)
    const values = { directories: [folder], write: true, allowUnasked: true }
    const files = [
      keep(await connectOurs('files', values)),
      keep(await connectTheirs('@modelcontextprotocol/server-filesystem', folder)),
    ] as const
    await hold('files, against @modelcontextprotocol/server-filesystem', fileCases(folder, ...files))
    const memory = [
      keep(await connectOurs('memory', { file: join(folder, 'memory.db') })),
      keep(
        await connectTheirs('@modelcontextprotocol/server-memory', '', {
          MEMORY_FILE_PATH: join(folder, 'memory.jsonl'),
        }),
      ),
    ] as const
    await fill(...memory)
    await hold('memory, against @modelcontextprotocol/server-memory', memoryCases(...memory))
    await holdLists(folder)
  } finally {
    for (const client of open) await client.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function hold(title: string, cases: readonly AnswerCase[]): Promise<void> {
  console.log(title)
  console.log(line('case', 'ours', 'theirs', 'ours ÷ theirs'))
  const broken: string[] = []
  for (const { name, ours, theirs, rounds = 40, anyTime = false } of cases) {
    const { bytes, ms } = await compareFairly(ours, theirs, rounds)
    const [weight, pace] = [bytes[0] / bytes[1], ms[0] / ms[1]]
    console.log(line(`${name}, bytes`, `${bytes[0]}`, `${bytes[1]}`, weight.toFixed(2)))
    console.log(line(`${name}, time`, `${ms[0].toFixed(2)} ms`, `${ms[1].toFixed(2)} ms`, pace.toFixed(2)))
    if (weight > MOST_BYTES) broken.push(`${name}: ${weight.toFixed(2)} times the bytes`)
    if (pace > 1 && !anyTime) broken.push(`${name}: ${pace.toFixed(2)} times the time`)
  }
  assert.deepEqual(broken, [])
}

async function compareFairly(...[ours, theirs, rounds]: Parameters<typeof compare>): Promise<Compared> {
  for (let attempt = 1; ; attempt++) {
    const from = attempt * 1000
    const compared = await compare(
      (round) => ours(from + round),
      (round) => theirs(from + round),
      rounds,
    )
    if (compared.ms[0] <= compared.ms[1] || attempt === TRIES) return compared
  }
}

function fileCases(folder: string, mine: Client, other: Client): AnswerCase[] {
  const hundred = join(folder, 'hundred')
  const text = 'x'.repeat(1000)
  // The same text is found in each round.
  const edits = (round: number) => [{ oldText: 'line of three', newText: `line of three\n${round}` }]
  return [
    {
      name: 'list 100 entries',
      ours: () => ({ client: mine, tool: 'list_directory', args: { path: hundred, details: false } }),
      theirs: () => ({ client: other, tool: 'list_directory', args: { path: hundred } }),
    },
    {
      name: 'list 100 entries with sizes',
      ours: () => ({ client: mine, tool: 'list_directory', args: { path: hundred } }),
      theirs: () => ({ client: other, tool: 'list_directory_with_sizes', args: { path: hundred } }),
    },
    {
      name: 'find 100 of 5,000 by name',
      rounds: 10,
      ours: () => ({ client: mine, tool: 'search_files', args: { pattern: '*needle*' } }),
      theirs: () => ({ client: other, tool: 'search_files', args: { path: folder, pattern: '**/*needle*' } }),
    },
    {
      name: 'write 1 kB',
      ours: (round) => ({ client: mine, tool: 'write_file', args: { path: join(folder, `a${round}.txt`), text } }),
      theirs: (round) => ({
        client: other,
        tool: 'write_file',
        args: { path: join(folder, `b${round}.txt`), content: text },
      }),
    },
    {
      name: 'edit a line (ours: on the disk first)',
      anyTime: true,
      ours: (round) => ({
        client: mine,
        tool: 'edit_file',
        args: { path: join(folder, 'ours.txt'), edits: edits(round) },
      }),
      theirs: (round) => ({
        client: other,
        tool: 'edit_file',
        args: { path: join(folder, 'theirs.txt'), edits: edits(round) },
      }),
    },
  ]
}

const ENTITIES = 100

async function fill(mine: Client, other: Client): Promise<void> {
  const numbers = Array.from({ length: ENTITIES }, (_, at) => at)
  const facts = numbers.map((at) => ({ entity: `item ${at}`, kind: 'thing', fact: `fact number ${at}` }))
  await mine.callTool('remember', { facts })
  const entities = numbers.map((at) => ({
    name: `item ${at}`,
    entityType: 'thing',
    observations: [`fact number ${at}`],
  }))
  await other.callTool('create_entities', { entities })
}

function memoryCases(mine: Client, other: Client): AnswerCase[] {
  return [
    {
      name: 'recall one of 100',
      ours: () => ({ client: mine, tool: 'recall', args: { query: 'item 5' } }),
      theirs: () => ({ client: other, tool: 'search_nodes', args: { query: 'item 5' } }),
    },
    {
      name: 'remember a fact (ours: on the disk first)',
      anyTime: true,
      ours: (round) => ({
        client: mine,
        tool: 'remember',
        args: { entity: `new ${round}`, kind: 'thing', fact: 'It is new' },
      }),
      theirs: (round) => ({
        client: other,
        tool: 'create_entities',
        args: { entities: [{ name: `new ${round}`, entityType: 'thing', observations: ['It is new'] }] },
      }),
    },
  ]
}

function makeFolders(folder: string): void {
  mkdirSync(join(folder, 'hundred'))
  for (let at = 0; at < 100; at++) writeFileSync(join(folder, 'hundred', `f${at}.txt`), 'x')
  for (let at = 0; at < 50; at++) {
    mkdirSync(join(folder, `d${at}`))
    for (let one = 0; one < 98; one++) writeFileSync(join(folder, `d${at}`, `f${one}.txt`), 'x')
    for (let one = 0; one < 2; one++) writeFileSync(join(folder, `d${at}`, `needle-${one}.txt`), 'x')
  }
  for (const name of ['ours.txt', 'theirs.txt']) writeFileSync(join(folder, name), 'first\nline of three\nlast\n')
}

interface ListBytes {
  readonly server: ServerName
  readonly write: boolean
  readonly bytes: number
}

/** Those of servers that need something real behind them are held in `packages/servers/test/answers.test.ts`. */
async function holdLists(folder: string): Promise<void> {
  execFileSync('git', ['init', '-q', join(folder, 'repository')])
  const given: { readonly [Name in ServerName]?: object } = {
    files: { directories: [folder] },
    git: { repositories: [join(folder, 'repository')] },
    sql: {},
    web: {},
    browser: {},
    run: {},
    knowledge: { directory: join(folder, 'hundred') },
    memory: { file: join(folder, 'other.db') },
    time: {},
  }
  const before: readonly ListBytes[] = JSON.parse(
    readFileSync(new URL('../../packages/servers/test/fixtures/list-bytes.json', import.meta.url), 'utf8'),
  )
  console.log('lists of tools, with what was added since, against what they were before results were said once')
  console.log(line('server', 'now', 'before', 'now ÷ before'))
  for (const { server, write, bytes } of before) {
    const values = given[server]
    if (values === undefined) continue
    const client = await connectOurs(server, { ...values, ...(write && { write }) })
    try {
      const now = JSON.stringify({ tools: await client.listTools() }).length
      console.log(line(`${server}${write ? ' --write' : ''}`, `${now}`, `${bytes}`, (now / bytes).toFixed(2)))
    } finally {
      await client.close()
    }
  }
}
