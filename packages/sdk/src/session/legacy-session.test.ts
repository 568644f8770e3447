import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Outlet } from '../jsonrpc/channel.ts'
import { LATEST_LEGACY } from '../protocol/revisions.ts'
import { LegacySession } from './legacy-session.ts'
import { requestClient } from './session-request.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function begin() {
  const posted: unknown[] = []
  const sent: unknown[] = []
  const session = new LegacySession({ post: (text) => void posted.push(JSON.parse(text)) }, undefined)
  const outlet: Outlet = { send: (text) => void sent.push(JSON.parse(text)), end: () => {}, close: () => {} }
  const agree = () =>
    session.agree({ revision: LATEST_LEGACY, capabilities: { roots: {} }, clientInfo: { name: 'c', version: '1' } })
  return { session, posted, sent, outlet, agree }
}

describe('LegacySession', () => {
  it('knows nothing before it has agreed', () => {
    const { session, agree } = begin()
    expect(session.initialized).toBe(false)
    expect(() => session.revision).toThrow(/not initialized/)
    agree()
    expect(session.revision).toBe(LATEST_LEGACY)
    expect([session.phase, session.capabilities]).toEqual(['initializing', { roots: {} }])
  })

  it('becomes ready once, and only after it has agreed', () => {
    const { session, agree } = begin()
    session.becomeReady()
    expect(session.phase).toBe('new')
    agree()
    session.becomeReady()
    expect(session.phase).toBe('ready')
  })

  it('lets nobody ask before the client is ready', async () => {
    const { session, agree } = begin()
    agree()
    const ready = vi.fn()
    const waiting = Promise.resolve(session.whenReady(new AbortController().signal)).then(ready)
    await Promise.resolve()
    expect(ready).not.toHaveBeenCalled()
    session.becomeReady()
    await waiting
    expect(session.whenReady(AbortSignal.abort())).toBeUndefined()
  })

  it.each(['before', 'while'])('ends the waiting of a call that was cancelled %s', async (when) => {
    const { session, agree } = begin()
    agree()
    const controller = new AbortController()
    if (when === 'before') controller.abort()
    const waiting = session.whenReady(controller.signal)
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
  })

  it('asks on the outlet of the request it serves, or by itself', async () => {
    const { session, posted, sent, outlet, agree } = begin()
    agree()
    const first = requestClient(session, { method: 'roots/list', params: {} }, outlet, {})
    const second = requestClient(session, { method: 'ping', params: {} }, undefined, {})
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'roots/list', params: {} }])
    expect(posted).toEqual([{ jsonrpc: '2.0', id: 2, method: 'ping', params: {} }])
    session.answers?.settle({ jsonrpc: '2.0', id: 2, result: { second: true } })
    session.answers?.settle({ jsonrpc: '2.0', id: 1, result: { first: true } })
    expect(await Promise.all([first, second])).toEqual([{ first: true }, { second: true }])
  })

  it('takes a question back that was not answered in time', async () => {
    const { session, sent, outlet, agree } = begin()
    agree()
    const answer = requestClient(session, { method: 'roots/list', params: {} }, outlet, { timeoutMs: 100 })
    vi.advanceTimersByTime(100)
    await expect(answer).rejects.toMatchObject({ code: 'timeout' })
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 1 } })
  })

  it('takes a question back by itself when its request was cancelled, since nothing more is sent for that', async () => {
    const { session, posted, sent, outlet, agree } = begin()
    agree()
    const controller = new AbortController()
    const answer = requestClient(session, { method: 'roots/list', params: {} }, outlet, { signal: controller.signal })
    controller.abort()
    await expect(answer).rejects.toMatchObject({ code: 'aborted' })
    expect(sent).toHaveLength(1)
    expect(posted).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: 1 } }])
  })

  it('sends nothing for a request that was cancelled before, nor after the end', async () => {
    const { session, posted, sent, outlet, agree } = begin()
    agree()
    const late = requestClient(session, { method: 'roots/list', params: {} }, outlet, { signal: AbortSignal.abort() })
    await expect(late).rejects.toMatchObject({ code: 'aborted', delivery: 'not-sent' })
    session.close()
    await expect(requestClient(session, { method: 'ping', params: {} }, undefined, {})).rejects.toMatchObject({
      code: 'closed',
      delivery: 'not-sent',
    })
    expect([posted, sent]).toEqual([[], []])
  })

  it('ends once: open questions fail, those who wait for the end hear of it', async () => {
    const { session, agree } = begin()
    agree()
    const ended = vi.fn()
    session.onClose(ended)
    const answer = requestClient(session, { method: 'roots/list', params: {} }, undefined, {})
    session.close()
    session.close()
    await expect(answer).rejects.toMatchObject({ code: 'closed', delivery: 'unknown' })
    expect(ended).toHaveBeenCalledOnce()
    expect(session.phase).toBe('closed')
  })
})
