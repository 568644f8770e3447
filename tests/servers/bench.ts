/**
 * The files and sql servers beside servers that others published, over standard input and output, driven by one client. Both
 * sides of a case take turns within one run, so that whatever slows the machine down slows both. Prints medians and
 * their ratio; times depend on the machine, ratios much less.
 */

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { CallToolResult, Client } from '@portico/sdk/client'
import type { Trial } from '../support/suite.ts'
import { benchAnswers } from './bench-answers.ts'
import { call, connectOurs, connectTheirs, line, median, type Side, time } from './bench-sides.ts'
import { startPostgres } from './postgres-engine.ts'

interface Case {
  readonly name: string
  readonly rounds: number
  readonly ours: Side
  /** Absent where the other has nothing of the kind. */
  readonly theirs?: Side
  /** Throws unless the result is the whole and right one. */
  readonly check: (words: string) => void
}

interface Row {
  readonly name: string
  readonly ours: number
  readonly theirs: number | undefined
}

const FOLDERS = 500
const FILES = 100
const NEEDLES = 50
const ROWS = 1_000_000
const PAUSE_MS = 5

export const benchTrials: readonly Trial[] = [
  { name: 'bench: files', run: benchFiles },
  { name: 'bench: sql', run: benchSql },
  { name: 'bench: answers', run: benchAnswers },
]

function print({ name, ours, theirs }: Row): void {
  const other = theirs === undefined ? 'none' : `${theirs.toFixed(2)} ms`
  console.log(line(name, `${ours.toFixed(2)} ms`, other, theirs === undefined ? '' : (theirs / ours).toFixed(2)))
}

async function benchFiles(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-lab-bench-'))
  console.log(`files: ${FOLDERS * FILES} files, against @modelcontextprotocol/server-filesystem 2026.8.31`)
  console.log(line('case', 'ours', 'theirs', 'theirs ÷ ours'))
  makeTree(folder)
  const ours = await connectOurs('files', { directories: [folder], maxResults: 2_000, maxReadBytes: 4_000_000 })
  const theirs = await connectTheirs('@modelcontextprotocol/server-filesystem', folder)
  try {
    const many = Array.from({ length: 50 }, (_, at) => join(folder, `d${at}`, 'f7.txt'))
    const counts = (part: RegExp, count: number) => (words: string) =>
      assert.ok(
        new Set(words.match(part)).size >= count,
        `${new Set(words.match(part)).size} of ${count}: ${words.slice(0, 300)}`,
      )
    const one = { path: join(folder, 'd3', 'f5.txt') }
    const large = { path: join(folder, 'large.txt') }
    const wide = { path: join(folder, 'wide') }
    await measure([
      {
        name: 'search 50,000 files by name',
        rounds: 7,
        ours: { client: ours, tool: 'search_files', args: { pattern: '*needle*' } },
        theirs: { client: theirs, tool: 'search_files', args: { path: folder, pattern: '**/*needle*' } },
        check: counts(/needle-\d+/g, NEEDLES),
      },
      {
        name: 'search 50,000 files by contents',
        rounds: 5,
        ours: { client: ours, tool: 'search_text', args: { pattern: 'hidden treasure' } },
        check: counts(/needle-\d+/g, NEEDLES),
      },
      {
        name: 'read a small file',
        rounds: 60,
        ours: { client: ours, tool: 'read_file', args: one },
        theirs: { client: theirs, tool: 'read_text_file', args: one },
        check: counts(/line 19 /g, 1),
      },
      {
        name: 'read a file of 1 MB',
        rounds: 10,
        ours: { client: ours, tool: 'read_file', args: large },
        theirs: { client: theirs, tool: 'read_text_file', args: large },
        check: (words) => assert.ok(words.length > 1_000_000, `${words.length} characters`),
      },
      {
        name: 'read 50 files in one call',
        rounds: 15,
        ours: { client: ours, tool: 'read_many', args: { paths: many } },
        theirs: { client: theirs, tool: 'read_multiple_files', args: { paths: many } },
        check: counts(/d\d+.f7\.txt/g, 50),
      },
      {
        name: 'list a folder of 1,000, names and kinds',
        rounds: 30,
        ours: { client: ours, tool: 'list_directory', args: { ...wide, details: false } },
        theirs: { client: theirs, tool: 'list_directory', args: wide },
        check: counts(/w\d+\.txt/g, 1_000),
      },
      {
        name: 'list a folder of 1,000, with sizes (ours: times)',
        rounds: 15,
        ours: { client: ours, tool: 'list_directory', args: wide },
        theirs: { client: theirs, tool: 'list_directory_with_sizes', args: wide },
        check: counts(/w\d+\.txt/g, 1_000),
      },
    ])
  } finally {
    await ours.close()
    await theirs.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeTree(folder: string): void {
  const text = Array.from({ length: 20 }, (_, at) => `line ${at} of a file with nothing in it`).join('\n')
  const wide = 1_000
  for (let at = 0; at < FOLDERS; at++) {
    mkdirSync(join(folder, `d${at}`))
    for (let one = 0; one < FILES - 2; one++) writeFileSync(join(folder, `d${at}`, `f${one}.txt`), text)
  }
  for (let at = 0; at < NEEDLES; at++)
    writeFileSync(join(folder, `d${at * 10}`, `needle-${at}.txt`), `${text}\nhidden treasure`)
  mkdirSync(join(folder, 'wide'))
  for (let at = 0; at < wide; at++) writeFileSync(join(folder, 'wide', `w${at}.txt`), text)
  writeFileSync(join(folder, 'large.txt'), 'The quick brown fox jumps over the lazy dog.\n'.repeat(23_500))
}

async function benchSql(): Promise<void> {
  console.log(`sql: PostgreSQL with ${ROWS} rows, against @modelcontextprotocol/server-postgres 0.6.2`)
  const engine = await startPostgres()
  try {
    await engine.ask(
      `CREATE TABLE big AS SELECT g AS id, 'note ' || g AS title, md5(g::text) AS digest FROM generate_series(1, ${ROWS}) AS g`,
    )
    await engine.ask('ALTER TABLE big ADD PRIMARY KEY (id)')
    await engine.ask('GRANT SELECT ON big TO reader')
    await engine.ask('VACUUM ANALYZE big')
    const ours = await connectOurs('sql', { url: engine.reader, maxRows: 1_000 })
    const theirs = await connectTheirs('@modelcontextprotocol/server-postgres', engine.reader)
    try {
      const both = (sql: string) => ({
        ours: { client: ours, tool: 'query', args: { sql } },
        theirs: { client: theirs, tool: 'query', args: { sql } },
      })
      const holds = (part: string) => (words: string) => assert.ok(words.includes(part), words.slice(0, 300))
      await measure([
        {
          name: 'one row of a million by its key',
          rounds: 60,
          ...both('SELECT * FROM big WHERE id = 500000'),
          check: holds('note 500000'),
        },
        {
          name: '200 rows of a million',
          rounds: 60,
          ...both('SELECT * FROM big ORDER BY id LIMIT 200'),
          check: holds('note 200'),
        },
        {
          name: 'count a million rows',
          rounds: 20,
          ...both('SELECT count(*) AS n FROM big'),
          check: holds('1000000'),
        },
        {
          name: 'search a million rows without an index',
          rounds: 8,
          ...both("SELECT * FROM big WHERE digest LIKE '%abcdef%' ORDER BY id"),
          check: holds('abcdef'),
        },
      ])
      print(await wholeTable(ours, theirs))
    } finally {
      await ours.close()
      await theirs.close()
    }
  } finally {
    await engine.stop()
  }
}

/** What a model does that does not know the table: ours answers with a page, the other with all it can. */
async function wholeTable(ours: Client, theirs: Client): Promise<Row> {
  const args = { sql: 'SELECT * FROM big' }
  const mine = [
    await time(() => call({ client: ours, tool: 'query', args })),
    await time(() => call({ client: ours, tool: 'query', args })),
  ]
  const name = 'all of a million rows (ours: the first page)'
  try {
    const other = await time(() => call({ client: theirs, tool: 'query', args }))
    return { name, ours: median(mine), theirs: other }
  } catch (error) {
    console.log(`${name}: the other failed: ${error instanceof Error ? error.message.slice(0, 200) : error}`)
    return { name, ours: median(mine), theirs: undefined }
  }
}

async function measure(cases: readonly Case[]): Promise<void> {
  for (const { name, rounds, ours, theirs, check } of cases) {
    const sides = theirs === undefined ? [ours] : [ours, theirs]
    const times = sides.map((): number[] => [])
    // The first of each is for warming up, and is where results are looked at.
    for (const side of sides) check(toWords(await call(side)))
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < sides.length; turn++) {
        // Neither side is always the first.
        const at = (round + turn) % sides.length
        const side = sides[at]
        // What a side still does after its answer is not to be paid for by the other.
        await setTimeout(PAUSE_MS)
        if (side !== undefined) times[at]?.push(await time(() => call(side)))
      }
    }
    print({ name, ours: median(times[0] ?? []), theirs: theirs === undefined ? undefined : median(times[1] ?? []) })
  }
}

function toWords(result: CallToolResult): string {
  return JSON.stringify(result)
}
