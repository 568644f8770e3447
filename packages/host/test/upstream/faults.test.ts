/** One server of three misbehaves, as a real process: the others' calls have no errors, and the state says what happened. */

import { afterEach, describe, expect, it } from 'vitest'
import { createUpstreams, type Upstreams, type UpstreamsOptions } from '../../src/upstream/upstreams.ts'
import { configOf, program, untilState } from './fixture.ts'

let upstreams: Upstreams | undefined
afterEach(async () => {
  await upstreams?.close()
  upstreams = undefined
})

function start(options: UpstreamsOptions = {}): Upstreams {
  upstreams = createUpstreams({ watchdog: false, ...options })
  return upstreams
}

/** Calls two good servers a few times each and counts what went wrong. */
async function errorsOfOthers(all: Upstreams): Promise<number> {
  const calls = ['left', 'right'].flatMap((name) =>
    Array.from({ length: 10 }, async (_, index) => {
      const client = await all.client(name)
      const { content } = await client.callTool('echo', { text: `${index}`, token: 't' })
      return JSON.stringify(content).includes(`${index}`)
    }),
  )
  const results = await Promise.allSettled(calls)
  return results.filter((result) => result.status === 'rejected' || !result.value).length
}

const OTHERS = [program('left', 'echo'), program('right', 'echo')]

describe('one of three upstreams', () => {
  it('hangs on calls: the call times out, a ping finds it dead, it is started again', async () => {
    const all = start({ pingMs: 300 })
    await all.set([program('bad', 'hang', { callMs: 300 }), ...OTHERS])
    const client = await all.client('bad')
    const call = client.callTool('echo', {})
    const state = untilState(all, 'bad', ({ reason }) => reason?.includes('no longer answers') === true)
    await expect(call).rejects.toMatchObject({ code: 'timeout' })
    expect(await errorsOfOthers(all)).toBe(0)
    expect(await state).toMatchObject({ state: 'failed', remedy: expect.stringContaining('by itself') })
    await untilState(all, 'bad', ({ state: name }) => name === 'ready')
  })

  it('never says a word: the others do not wait for it', async () => {
    const all = start()
    await all.set([program('bad', 'silent'), ...OTHERS])
    expect(await errorsOfOthers(all)).toBe(0)
    expect(all.view('bad')?.state.state).toBe('starting')
  })

  it('never says a word: it fails at its deadline, and says how to give it more time', async () => {
    const all = start()
    await all.set([program('bad', 'silent', { startMs: 300 })])
    const state = await untilState(all, 'bad', ({ state: name }) => name === 'failed')
    expect(state.reason).toContain('did not answer within 300 ms')
    expect(state.remedy).toContain('startMs')
  })

  it('crashes in a loop: the circuit opens, calls fail at once, the state says what it wrote', async () => {
    const all = start({ breaker: { firstWaitMs: 10, openMs: 60_000 } })
    await all.set([program('bad', 'exit'), ...OTHERS])
    const state = await untilState(all, 'bad', ({ reason }) => reason?.includes('5 times') === true)
    expect(state).toMatchObject({ state: 'failed', retryAt: expect.any(Number) })
    expect(state.reason).toContain('exited with code 3')
    expect(state.reason).toContain('cannot open the database')
    await expect(all.client('bad')).rejects.toMatchObject({
      code: 'unavailable',
      data: { state: 'failed', remedy: expect.any(String), retryAt: state.retryAt },
    })
    expect(await errorsOfOthers(all)).toBe(0)
  })

  it('crashes on every call although it starts well: that is a loop as well', async () => {
    const all = start({ breaker: { firstWaitMs: 10, failures: 3, openMs: 60_000 } })
    await all.set([program('bad', 'crash'), ...OTHERS])
    const opened = untilState(all, 'bad', ({ reason }) => reason?.includes('3 times') === true)
    let isOpen = false
    void opened.then(() => {
      isOpen = true
    })
    while (!isOpen) {
      const client = await all.client('bad').catch(() => undefined)
      await client?.callTool('echo', {}).catch(() => {})
      if (client === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect((await opened).state).toBe('failed')
    expect(await errorsOfOthers(all)).toBe(0)
  })

  it.each([
    ['flood', 'notifications'],
    ['stderr-flood', 'standard error'],
  ])('floods (%s): %s are bounded and the others do not notice', async (mode) => {
    const all = start()
    const lines: string[] = []
    all.on('log', ({ server, text }) => server === 'bad' && lines.push(text))
    await all.set([program('bad', mode), ...OTHERS])
    const bad = await all.client('bad')
    const [answer, errors] = await Promise.all([bad.callTool('echo', { text: 'x' }), errorsOfOthers(all)])
    expect(answer.isError).toBeFalsy()
    expect(errors).toBe(0)
    expect(lines.length).toBeLessThan(2_000)
    if (mode === 'flood') {
      const state = await untilState(all, 'bad', ({ state: name }) => name === 'degraded')
      expect(state.reason).toContain('more notifications')
    }
  })

  it('dies once: it is restored (sec-45), and the state passes through degraded with the reason', async () => {
    const all = start({ breaker: { firstWaitMs: 10 } })
    await all.set([program('bad', 'echo'), ...OTHERS])
    const client = await all.client('bad')
    const degraded = untilState(all, 'bad', ({ state }) => state === 'degraded')
    await expect(client.callTool('die', {})).rejects.toMatchObject({ code: 'closed' })
    expect((await degraded).reason).toContain('exited with code 7')
    await untilState(all, 'bad', ({ state }) => state === 'ready')
    expect((await client.callTool('echo', { text: 'again' })).content).toHaveLength(1)
    expect(await errorsOfOthers(all)).toBe(0)
  })
})

describe('20 servers, 3 of them dead', () => {
  it('gives the first answer of a live one without waiting for the dead', async () => {
    const all = start()
    const live = Array.from({ length: 3 }, (_, index) => program(`live${index}`, 'echo'))
    const dead = [
      program('dead1', 'silent'),
      configOf('dead2', { kind: 'stdio', command: 'no-such-program-here', args: [], env: {} }),
      configOf('dead3', { kind: 'http', url: 'http://127.0.0.1:9/mcp', headers: {} }),
    ]
    const lazy = Array.from({ length: 14 }, (_, index) => program(`lazy${index}`, 'echo', { lazy: true }))
    await all.set([...dead, ...live, ...lazy])
    const client = await all.client('live2')
    expect((await client.callTool('echo', { text: 'first' })).content).toHaveLength(1)
    // The silent one has 30 s to answer and has used up next to nothing of them.
    expect(all.view('dead1')?.state.state).toBe('starting')
    expect(all.views().filter(({ state }) => state.state === 'idle')).toHaveLength(14)
    expect((await untilState(all, 'dead2', ({ state }) => state === 'failed')).reason).toContain('was not found')
    expect((await untilState(all, 'dead3', ({ state }) => state === 'failed')).reason).toContain('refused')
  })
})
