/** The log as its readers have it: whole after a crash, without secrets, and unable to lie about its past. */

import { statSync } from 'node:fs'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toCanonicalJson, toDigest } from './canonical.ts'
import { fromLine, seal } from './chain.ts'
import { type AuditLogOptions, openAuditLog } from './log.ts'
import type { AuditEntry, AuditRecord } from './record.ts'
import { type AuditQuery, searchAudit } from './search.ts'
import { verifyAuditLog } from './verify.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-audit-'))
  file = join(folder, 'audit.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const KEY = new Uint8Array(32).fill(7)

function entry(number: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return { at: number, type: 'decision', what: 'call', server: `s${number % 3}`, item: `tool${number}`, ...more }
}

async function write(count: number, options: Partial<AuditLogOptions> = {}): Promise<void> {
  const log = await openAuditLog({ file, ...options })
  await Promise.all(Array.from({ length: count }, (_, index) => log.append(entry(index + 1))))
  await log.close()
}

async function find(query: AuditQuery): Promise<AuditRecord[]> {
  const found: AuditRecord[] = []
  for await (const record of searchAudit(file, query)) found.push(record)
  return found
}

describe('writing', () => {
  it('keeps the order of many appenders and passes verification', async () => {
    const log = await openAuditLog({ file })
    const records = await Promise.all(Array.from({ length: 1500 }, (_, index) => log.append(entry(index))))
    expect(records.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1500 }, (_, index) => index + 1))
    expect(log.head()).toEqual({ sequence: 1500, hash: records.at(-1)?.hash })
    await log.close()
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 1500, problems: [], beyondHead: 0 })
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('continues the chain after a restart, and across files', async () => {
    await write(30, { maxBytes: 2_000 })
    await write(30, { maxBytes: 2_000 })
    expect((await readdir(folder)).length).toBeGreaterThan(5)
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 60 })
    expect((await find({ server: 's1' })).map(({ at }) => at)).toHaveLength(20)
  })

  it('forgets the oldest files where it is told to, and says so in the head', async () => {
    await write(60, { maxBytes: 2_000, maxFiles: 2 })
    const report = await verifyAuditLog(file)
    expect([report.ok, report.records < 60, report.head.sequence]).toEqual([true, true, 60])
    const files = (await readdir(folder)).filter((name) => /\.\d+$/.test(name)).sort()
    expect(files).toHaveLength(2)
    await rm(join(folder, files[0]!))
    expect(await verifyAuditLog(file)).toMatchObject({ ok: false, problems: [{ kind: 'missing' }] })
  })

  it('writes once for all that is appended in one turn of the event loop (house 3)', async () => {
    const log = await openAuditLog({ file })
    const first = log.append(entry(1))
    for (let step = 0; step < 50; step++) await undefined
    const [before, second] = [statSync(file).size, log.append(entry(2))]
    const both = await Promise.all([first, second])
    expect([before, both.map(({ sequence }) => sequence)]).toEqual([0, [1, 2]])
    await log.close()
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 2, beyondHead: 0 })
  })

  it('has one writer', async () => {
    const log = await openAuditLog({ file })
    await expect(openAuditLog({ file })).rejects.toMatchObject({ code: 'audit-broken' })
    await log.close()
    await (await openAuditLog({ file })).close()
  })

  it.each([
    ['a process that is gone', JSON.stringify({ pid: 2 ** 30 })],
    ['an earlier life of this one', JSON.stringify({ pid: process.pid })],
    ['somebody who wrote nonsense', '{'],
  ])('takes over the lock of %s', async (_, content) => {
    await writeFile(`${file}.lock`, content)
    await (await openAuditLog({ file })).close()
  })

  it('leaves the lock with a process that lives', async () => {
    await writeFile(`${file}.lock`, JSON.stringify({ pid: process.ppid }))
    await expect(openAuditLog({ file })).rejects.toThrow(new RegExp(`process ${process.ppid}`))
  })

  it('refuses entries after closing, and short keys', async () => {
    const log = await openAuditLog({ file })
    await log.close()
    await expect(log.append(entry(1))).rejects.toMatchObject({ code: 'closed' })
    await expect(openAuditLog({ file, key: new Uint8Array(4) })).rejects.toMatchObject({ code: 'audit-broken' })
  })
})

describe('after a crash', () => {
  it('takes off a torn line and writes that down', async () => {
    await write(3)
    await appendFile(file, '{"at":4,"type":"deci')
    expect((await verifyAuditLog(file)).problems).toMatchObject([{ kind: 'torn', sequence: 4 }])
    await write(1)
    expect((await find({ type: 'event' })).map(({ what }) => what)).toEqual(['audit-torn-line'])
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 5 })
  })

  it('believes records that the head did not learn of', async () => {
    await write(2)
    const [, last] = (await readFile(file, 'utf8')).trim().split('\n').map(fromLine)
    await appendFile(file, seal(entry(3), last!, undefined).line)
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, beyondHead: 1 })
    await write(1)
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 4, beyondHead: 0 })
  })

  it('goes on where a full file was moved and no other begun', async () => {
    await write(3)
    await writeFile(`${file}.1`, await readFile(file))
    await rm(file)
    await write(1)
    expect(await verifyAuditLog(file)).toMatchObject({ ok: true, records: 4 })
  })

  it('leaves a lost end for verification to see', async () => {
    await write(5)
    const text = await readFile(file, 'utf8')
    await writeFile(file, `${text.split('\n').slice(0, 3).join('\n')}\n`)
    await write(1)
    expect((await find({ type: 'event' }))[0]).toMatchObject({ what: 'audit-gap', detail: { expected: 5, found: 3 } })
    expect((await verifyAuditLog(file)).problems).toMatchObject([{ kind: 'missing', sequence: 4 }])
  })
})

describe('tampering (sec-127)', () => {
  type Tamper = (lines: string[], at: number, other: number) => string[]
  const edits: [string, Tamper][] = [
    ['a changed word', (lines, at) => lines.with(at, lines[at]!.replace('"call"', '"read"'))],
    ['a removed record', (lines, at) => lines.toSpliced(at, 1)],
    ['a repeated record', (lines, at) => lines.toSpliced(at, 0, lines[at]!)],
    ['two exchanged records', (lines, at, other) => lines.with(at, lines[other]!).with(other, lines[at]!)],
    ['a cut end', (lines, at) => lines.slice(0, at)],
    ['a foreign line', (lines, at) => lines.toSpliced(at, 0, '{"hello":1}')],
    ['an empty line', (lines, at) => lines.with(at, '')],
    ['a record copied elsewhere', (lines, at, other) => lines.toSpliced(other, 0, lines[at]!)],
    [
      'a changed record with a hash of its own',
      (lines, at) => {
        const { sequence, previous, hash: _, ...old } = fromLine(lines[at]!)!
        return lines.with(
          at,
          seal({ ...old, outcome: 'forged' }, { sequence: sequence - 1, hash: previous }, undefined).line.trim(),
        )
      },
    ],
    [
      'a rewritten end',
      (lines, at) => {
        const kept = lines.slice(0, at)
        let head = at === 0 ? { sequence: 0, hash: 'genesis' } : fromLine(lines[at - 1]!)!
        for (const line of lines.slice(at)) {
          const { sequence: _s, previous: _p, hash: _h, ...old } = fromLine(line)!
          const { record, line: forged } = seal({ ...old, outcome: 'forged' }, head, undefined)
          kept.push(forged.trim())
          head = record
        }
        return kept
      },
    ],
  ]

  it.each(edits)('%s is found, wherever it is', async (_, tamper) => {
    for (const key of [undefined, KEY]) {
      await rm(folder, { recursive: true, force: true })
      await write(12, { key })
      const text = await readFile(file, 'utf8')
      const lines = text.trimEnd().split('\n')
      await fc.assert(
        fc.asyncProperty(fc.nat(11), fc.nat(11), async (at, other) => {
          const altered = tamper(lines, at, other)
          fc.pre(altered.join('\n') !== lines.join('\n'))
          await writeFile(file, altered.map((line) => `${line}\n`).join(''))
          const report = await verifyAuditLog(file, { key })
          expect(report.ok).toBe(false)
          expect(report.problems[0]?.sequence).toBeGreaterThan(0)
        }),
        { numRuns: 15 },
      )
    }
  })

  it('any other byte is found', async () => {
    await write(6)
    const bytes = await readFile(file)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const altered = Buffer.from(bytes)
        altered[at] = altered[at]! ^ flip
        await writeFile(file, altered)
        const report = await verifyAuditLog(file)
        // A change that means the same JSON is none: a tab for the last end of a line, for instance.
        const recordsOf = (log: Buffer) => toCanonicalJson(log.toString('utf8').trimEnd().split('\n').map(fromLine))
        if (recordsOf(altered) !== recordsOf(bytes)) expect(report.ok).toBe(false)
      }),
      { numRuns: 60 },
    )
  })

  it('says which record was changed', async () => {
    await write(9)
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('tool5', 'toolX'))
    expect((await verifyAuditLog(file)).problems).toMatchObject([{ kind: 'changed', sequence: 5, line: 5 }])
  })

  it('a log written anew without the key does not pass, nor a head', async () => {
    await write(3, { key: KEY })
    expect((await verifyAuditLog(file)).ok).toBe(false)
    await rm(folder, { recursive: true })
    await write(3)
    expect((await verifyAuditLog(file, { key: KEY })).problems.map(({ kind }) => kind)).toContain('head-altered')
  })

  it('a missing head and a removed middle file are found', async () => {
    await write(40, { maxBytes: 2_000 })
    await rm(`${file}.2`)
    expect((await verifyAuditLog(file)).problems).toMatchObject([{ kind: 'missing' }])
    await rm(`${file}.head`)
    expect((await verifyAuditLog(file)).problems.at(-1)).toMatchObject({ kind: 'head-missing' })
  })

  it('a log put back in time as a whole is found by a head that was kept elsewhere', async () => {
    await write(3)
    const [oldLog, oldHead] = [await readFile(file), await readFile(`${file}.head`)]
    const log = await openAuditLog({ file })
    await log.append(entry(4))
    const expected = log.head()
    await log.close()
    expect((await verifyAuditLog(file, { expect: expected })).ok).toBe(true)
    await writeFile(file, oldLog)
    await writeFile(`${file}.head`, oldHead)
    expect((await verifyAuditLog(file, { expect: expected })).problems).toMatchObject([{ kind: 'truncated' }])
  })

  it('a file cut in the middle of the chain is found', async () => {
    await write(20)
    await truncate(file, 500)
    expect((await verifyAuditLog(file)).ok).toBe(false)
  })
})

describe('redaction', () => {
  const CANARY = 'c4n4ry-S3cret-value'
  it.each<[string, Partial<AuditEntry>]>([
    ['a key that tells', { detail: { password: CANARY, nested: { 'api-key': CANARY } } }],
    ['arguments, which stay as a digest', { detail: { arguments: { text: CANARY } } }],
    ['a bearer token', { reason: `sent Authorization: Bearer ${CANARY}` }],
    ['a URL with a password', { item: `https://user:${CANARY}@host/x` }],
    ['a URL with a token', { item: `https://host/x?access_token=${CANARY}&y=1` }],
    ['an assignment', { reason: `failed with api_key=${CANARY}` }],
    ['a known value', { reason: `said ${CANARY} aloud` }],
  ])('takes out %s', async (_, more) => {
    const log = await openAuditLog({ file, redact: { values: () => [CANARY] } })
    await log.append(entry(1, more))
    await log.close()
    expect(await readFile(file, 'utf8')).not.toContain(CANARY)
    expect((await verifyAuditLog(file)).ok).toBe(true)
  })

  it('by the look alone, and bounded', async () => {
    const log = await openAuditLog({ file })
    const { reason, detail } = await log.append(
      entry(1, {
        reason: `jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc and sk-abcdefghijklmnopqrstuvwx`,
        detail: { long: 'x'.repeat(1e6), many: Array(5_000).fill('y'.repeat(500)), '__proto__ ': 1 },
      }),
    )
    await log.close()
    expect(reason).toBe('jwt [redacted] and [redacted]')
    expect(JSON.stringify(detail).length).toBeLessThan(100_000)
  })
})

describe('searching', () => {
  it.each<[AuditQuery, number[]]>([
    [{ since: 8 }, [8, 9, 10]],
    [{ until: 3 }, [1, 2]],
    [{ server: 's0', since: 4 }, [6, 9]],
    [{ item: 'tool7' }, [7]],
    [{ text: 'TOOL1', limit: 1 }, [1]],
    [{ newest: true, limit: 2 }, [10, 9]],
    [{ outcome: 'never' }, []],
    [{ limit: 0 }, []],
  ])('%j', async (query, expected) => {
    await write(10, { maxBytes: 1_000 })
    expect((await find(query)).map(({ at }) => at)).toEqual(expected)
  })
})

it('digests are equal for equal values and no others', () => {
  expect(toDigest({ a: 1, b: { d: 2, c: [1] } })).toBe(toDigest({ b: { c: [1], d: 2 }, a: 1 }))
  expect(toDigest({ a: '1' })).not.toBe(toDigest({ a: 1 }))
  expect(toCanonicalJson(JSON.parse('{"__proto__":1,"a":null}'))).toBe('{"__proto__":1,"a":null}')
})
