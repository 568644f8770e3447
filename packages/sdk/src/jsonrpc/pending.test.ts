import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PendingCalls } from './pending.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('PendingCalls', () => {
  it('settles a call once, by its own id', async () => {
    const calls = new PendingCalls()
    const id = calls.nextId()
    const answer = calls.wait(id)
    expect(calls.settle({ jsonrpc: '2.0', id: String(id), result: {} })).toBe(false)
    expect(calls.settle({ jsonrpc: '2.0', id, result: { ok: true } })).toBe(true)
    expect(calls.settle({ jsonrpc: '2.0', id, result: { ok: false } })).toBe(false)
    expect(await answer).toEqual({ ok: true })
    expect(calls.size).toBe(0)
  })

  it('rejects with the peer’s error, number and data kept', async () => {
    const calls = new PendingCalls()
    const answer = calls.wait(1)
    calls.settle({ jsonrpc: '2.0', id: 1, error: { code: -5, message: 'no', data: { a: 1 } } })
    await expect(answer).rejects.toMatchObject({ code: 'peer-error', rpcCode: -5, message: 'no', data: { a: 1 } })
  })

  it.each([undefined, null])('has no call under the id %j', (id) => {
    expect(new PendingCalls().settle({ jsonrpc: '2.0', id, error: { code: 1, message: '' } })).toBe(false)
  })

  it('never uses an id twice', () => {
    const calls = new PendingCalls(5)
    expect([calls.nextId(), calls.nextId(), calls.nextId()]).toEqual([5, 6, 7])
  })

  it('times out at the limit, not before, and says that the request may have arrived', async () => {
    const calls = new PendingCalls()
    const abandoned = vi.fn()
    const answer = calls.wait(1, { timeoutMs: 100, abandoned })
    vi.advanceTimersByTime(99)
    expect(calls.size).toBe(1)
    vi.advanceTimersByTime(1)
    await expect(answer).rejects.toMatchObject({ code: 'timeout', delivery: 'unknown' })
    expect(abandoned).toHaveBeenCalledExactlyOnceWith(1, expect.stringContaining('100 ms'))
    expect(calls.settle({ jsonrpc: '2.0', id: 1, result: {} })).toBe(false)
  })

  it('starts the clock anew when told to', async () => {
    const calls = new PendingCalls()
    const answer = calls.wait(1, { timeoutMs: 100 })
    vi.advanceTimersByTime(99)
    calls.extend(1, 100)
    vi.advanceTimersByTime(99)
    expect(calls.settle({ jsonrpc: '2.0', id: 1, result: {} })).toBe(true)
    await answer
  })

  it('has one timer for many calls, and each its own time', async () => {
    const calls = new PendingCalls()
    const ended: number[] = []
    for (const [id, timeoutMs] of [300, 100, 200].entries()) {
      calls.wait(id, { timeoutMs }).catch(() => ended.push(id))
    }
    expect(vi.getTimerCount()).toBe(1)
    for (const expected of [[1], [1, 2], [1, 2, 0]]) {
      await vi.advanceTimersByTimeAsync(100)
      expect(ended).toEqual(expected)
    }
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps no process alive when nothing is waited for, and does again later', async () => {
    const calls = new PendingCalls()
    const made = vi.spyOn(globalThis, 'setTimeout')
    const answers = [calls.wait(1, { timeoutMs: 50 })]
    const timer = made.mock.results[0]?.value as NodeJS.Timeout
    calls.settle({ jsonrpc: '2.0', id: 1, result: {} })
    expect(timer.hasRef()).toBe(false)
    answers.push(calls.wait(2, { timeoutMs: 60 }))
    expect(timer.hasRef()).toBe(true)
    calls.settle({ jsonrpc: '2.0', id: 2, result: {} })
    await Promise.all(answers)
    expect(made).toHaveBeenCalledOnce()
    await vi.advanceTimersByTimeAsync(50)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('times out although the clock was replaced meanwhile', async () => {
    const calls = new PendingCalls()
    const first = calls.wait(1, { timeoutMs: 100 })
    calls.settle({ jsonrpc: '2.0', id: 1, result: {} })
    await first
    vi.useRealTimers()
    vi.useFakeTimers()
    vi.setSystemTime(0)
    vi.spyOn(performance, 'now').mockReturnValue(-50)
    const second = calls.wait(2, { timeoutMs: 100 })
    vi.mocked(performance.now).mockReturnValue(50)
    await Promise.all([expect(second).rejects.toMatchObject({ code: 'timeout' }), vi.advanceTimersByTimeAsync(100)])
  })

  it('ends with its signal', async () => {
    const calls = new PendingCalls()
    const abandoned = vi.fn()
    const controller = new AbortController()
    const answer = calls.wait(1, { signal: controller.signal, abandoned })
    controller.abort('enough')
    await expect(answer).rejects.toMatchObject({ code: 'aborted', delivery: 'unknown', cause: 'enough' })
    expect(abandoned).toHaveBeenCalledOnce()
  })

  it('is not sent when the signal has fired already', async () => {
    const calls = new PendingCalls()
    const abandoned = vi.fn()
    const answer = calls.wait(1, { signal: AbortSignal.abort(), abandoned })
    await expect(answer).rejects.toMatchObject({ code: 'aborted', delivery: 'not-sent' })
    expect(abandoned).not.toHaveBeenCalled()
    expect(calls.size).toBe(0)
  })

  it('leaves no listener behind, and no timer once the connection is gone', async () => {
    const calls = new PendingCalls()
    const controller = new AbortController()
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const answer = calls.wait(1, { signal: controller.signal, timeoutMs: 50 })
    calls.settle({ jsonrpc: '2.0', id: 1, result: {} })
    await answer
    expect(removed).toHaveBeenCalledOnce()
    calls.failAll(new Error('gone'))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('fails every call when the connection is gone', async () => {
    const calls = new PendingCalls()
    const answers = [calls.wait(1), calls.wait(2)]
    calls.failAll(new Error('gone'))
    for (const answer of answers) await expect(answer).rejects.toThrow('gone')
  })
})
