import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, makeFolder, startBench } from './open-workbench.ts'
import { createWorker, withServers } from './servers.ts'

afterEach(cleanUp)

const DENY = { id: 'no shouting', outcome: 'deny', effect: 'call', server: 'worker', item: 'say' }
const EFFECT = { kind: 'call', server: 'worker', tool: 'say', arguments: {}, trusted: false } as const

describe('rules', () => {
  it('are kept, followed, explained and there after a restart', async () => {
    const options = { ...withServers({ worker: createWorker }), stateDir: await makeFolder() }
    const bench = await startBench(options)
    await bench.call('items.list', {})
    expect(await bench.call('policy.set', { rules: [DENY] })).toEqual({ findings: [] })
    const refused = await bench
      .call('tools.call', { name: 'worker_say', arguments: {}, run: 'r' })
      .catch((error) => error)
    expect([refused.status, refused.failure.code]).toEqual([403, 'denied'])
    expect(refused.failure.message).toContain('no shouting')
    const why = await bench.call('policy.explain', { effect: EFFECT })
    expect(why).toMatchObject({ outcome: 'deny', rule: 'no shouting' })
    expect(why.considered[0]).toContain('no shouting (deny): matches')
    await bench.close()
    const again = await startBench(options)
    expect((await again.call('policy.get', {})).rules).toEqual([DENY])
    expect(await again.call('policy.explain', { effect: EFFECT })).toMatchObject({ outcome: 'deny' })
  })

  it('can be tried before they are saved', async () => {
    const { call } = await startBench(withServers({ worker: createWorker }))
    const tried = await call('policy.explain', { effect: EFFECT, rules: [{ id: 'all', outcome: 'allow' }] })
    expect(tried).toMatchObject({ outcome: 'allow', rule: 'all' })
    const tainted = await call('policy.explain', {
      effect: EFFECT,
      rules: [{ id: 'all', outcome: 'allow' }],
      circumstances: { tainted: true },
    })
    expect(tainted.outcome).toBe('ask')
    expect((await call('policy.explain', { effect: EFFECT, circumstances: { unattended: true } })).outcome).toBe('deny')
    expect((await call('policy.get', {})).rules).toEqual([])
  })

  it('that cannot be read change nothing, and say what is wrong', async () => {
    const { call } = await startBench(withServers({ worker: createWorker }))
    await call('policy.set', { rules: [DENY] })
    const refused = await call('policy.set', { rules: [{ id: 'x', outcome: 'perhaps' }] }).catch((error) => error)
    expect(refused.failure).toMatchObject({ code: 'invalid-rules', data: { findings: [{ severity: 'error' }] } })
    expect((await call('policy.get', {})).rules).toEqual([DENY])
  })

  it('are linted against what there is', async () => {
    const { call } = await startBench(withServers({ worker: createWorker }))
    await call('items.list', {})
    const { findings } = await call('policy.set', { rules: [{ id: 'ghost', outcome: 'deny', server: 'nobody' }] })
    expect(findings).toMatchObject([{ rule: 'ghost', severity: 'warning', message: expect.stringContaining('nobody') }])
  })

  it('that are only watched show what they would have done', async () => {
    const { call } = await startBench(withServers({ worker: createWorker }))
    await call('policy.set', { rules: [{ ...DENY, shadow: true }] })
    await call('tools.call', { name: 'worker_say', arguments: {}, run: 'r' })
    const { shadow } = await call('policy.get', {})
    expect(shadow).toMatchObject([{ did: 'allow', would: 'deny', rule: 'no shouting' }])
  })
})

it('lists what is remembered, and forgets it', async () => {
  const bench = await startBench(withServers({ worker: createWorker }))
  await bench.call('policy.set', { rules: [{ id: 'look', outcome: 'ask', effect: 'call' }] })
  const running = bench.call('tools.call', { name: 'worker_say', arguments: {}, run: 'r' })
  const asked = await bench.next((event) => event.type === 'question')
  if (asked.type !== 'question') throw new Error('never')
  const answer = { action: 'allow', remember: 'always', breadth: 'item' } as const
  await bench.call('inbox.answer', { id: asked.question.id, answer })
  await running
  const { grants } = await bench.call('grants.list', {})
  expect(grants).toMatchObject([
    { outcome: 'allow', remember: 'always', words: expect.stringContaining('"say" of "worker"') },
  ])
  await bench.call('grants.revoke', { id: grants[0]?.id ?? '' })
  expect((await bench.call('grants.list', {})).grants).toEqual([])
  expect((await bench.call('grants.revoke', { id: 'x' }).catch((error) => error)).status).toBe(404)
  const wrong = { id: asked.question.id, answer: { action: 'maybe' } as unknown as typeof answer }
  expect((await bench.call('inbox.answer', wrong).catch((error) => error)).failure.code).toBe('bad-request')
})

it('searches the audit log by words and members, and finds out when it was altered', async () => {
  const bench = await startBench(withServers({ worker: createWorker, other: createWorker }))
  for (const name of ['worker_say', 'other_say', 'worker_fail']) {
    await bench.call('tools.call', { name, arguments: {}, run: name })
  }
  const found = async (query: string) => (await bench.call('audit.search', { query })).records.map(({ item }) => item)
  expect(await found('server:worker type:decision')).toEqual(['fail', 'say'])
  expect(await found('server:worker "fail" decision')).toEqual(['fail'])
  const all = (await bench.call('audit.search', {})).records
  const [newest] = all
  const older = await bench.call('audit.search', { before: newest?.at ?? 0 })
  expect(older.records.every(({ at }) => at < (newest?.at ?? 0))).toBe(true)
  expect(older.records.length).toBeLessThan(all.length)
  expect((await bench.call('audit.search', { limit: 1 })).records).toEqual([newest])
  expect(await bench.call('audit.verify', {})).toMatchObject({ ok: true, records: all.length, problems: [] })
  await bench.close()
  const [file = ''] = (await readdir(join(bench.stateDir, 'audit'))).filter((name) => name.endsWith('.jsonl'))
  await appendFile(join(bench.stateDir, 'audit', file), '{"sequence":99}\n')
  const again = await startBench({ ...withServers({ worker: createWorker }), stateDir: bench.stateDir })
  const report = await again.call('audit.verify', {})
  expect(report.ok && report.problems.length === 0 && report.records === all.length).toBe(false)
})
