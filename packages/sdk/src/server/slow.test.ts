/** Slow handlers are reported with what to do about it, at the end and while they run; waiting for the user is not slow. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createClock, type TestClock } from '../testing/clock.ts'
import { testClient } from '../testing/test-client.ts'
import { resource, tool } from './items/definition.ts'
import { createServer } from './server.ts'
import type { SlowReport } from './slow-report.ts'

let clock: TestClock
beforeEach(() => {
  clock = createClock()
})
afterEach(() => clock.restore())

function after(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve('done'), ms))
}

function createSubject(reports: SlowReport[], slow?: { callMs?: number } | false) {
  return createServer({
    name: 'subject',
    version: '1',
    onSlow: (report) => reports.push(report),
    ...(slow !== undefined && { slow }),
    tools: {
      wait: tool({ input: z.object({ ms: z.number(), secret: z.string().optional() }) }, ({ ms }) => after(ms)),
      ask: tool({}, async (_args, ctx) => {
        await ctx.elicit({ message: 'Sure?', form: z.object({ yes: z.boolean() }) })
        return 'asked'
      }),
    },
    resources: { slow: resource({ uri: 'slow://{id}' }, () => after(15_000)) },
  })
}

const timeouts = { connect: { timeouts: { callMs: 600_000, readMs: 600_000 } } }

describe('a handler over its time', () => {
  const cases = [
    { took: 29_999, reported: 0 },
    { took: 30_000, reported: 1 },
    { took: 30_001, reported: 1 },
  ]
  test.each(cases)('of $took ms is reported at its end $reported times', async ({ took, reported }) => {
    const reports: SlowReport[] = []
    await using client = await testClient(createSubject(reports), timeouts)
    const call = client.callTool('wait', { ms: took, secret: 'hunter2' })
    await clock.advance(took)
    await call
    expect(reports.filter(({ running }) => !running)).toHaveLength(reported)
    expect(JSON.stringify(reports)).not.toContain('hunter2')
  })

  test('is reported once while it runs, by one shared timer', async () => {
    const reports: SlowReport[] = []
    await using client = await testClient(createSubject(reports), timeouts)
    const calls = [1, 2, 3].map(() => client.callTool('wait', { ms: 90_000 }))
    await clock.advance(60_000)
    expect(reports).toHaveLength(3)
    expect(reports[0]).toMatchObject({ method: 'tools/call', name: 'wait', thresholdMs: 30_000, running: true })
    expect(reports[0]?.advice).toContain('ctx.progress')
    await clock.advance(30_000)
    await Promise.all(calls)
    expect(reports.map(({ running }) => running)).toEqual([true, true, true, false, false, false])
  })

  test('of a read counts from 10 s, and names the URI without its query', async () => {
    const reports: SlowReport[] = []
    await using client = await testClient(createSubject(reports), timeouts)
    const read = client.readResource('slow://x')
    await clock.advance(15_000)
    await read
    expect(reports.at(-1)).toMatchObject({ method: 'resources/read', name: 'slow://x', thresholdMs: 10_000 })
  })
})

test('a call that waits for the user is not slow', async () => {
  const reports: SlowReport[] = []
  const answers = {
    elicit: async () => {
      await after(120_000)
      return { action: 'accept' as const, content: { yes: true } }
    },
  }
  await using client = await testClient(createSubject(reports), { ...timeouts, answers, version: '2025-11-25' })
  const call = client.callTool('ask')
  await clock.advance(120_000)
  await call
  expect(reports).toEqual([])
})

test('times can be set, and the watch switched off', async () => {
  for (const { slow, count } of [
    { slow: { callMs: 100 }, count: 2 },
    { slow: { callMs: 0 }, count: 0 },
    { slow: false as const, count: 0 },
  ]) {
    const reports: SlowReport[] = []
    await using client = await testClient(createSubject(reports, slow), timeouts)
    const call = client.callTool('wait', { ms: 40_000 })
    await clock.advance(40_000)
    await call
    expect(reports).toHaveLength(count)
  }
})
