/** Limits that replicas keep together: never more than the whole, and nothing asked for a call that has its share at hand. */

import { createServer, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../src/gateway/gateway.ts'
import { CallLimits, GATEWAY_LIMITS, type GatewayLimits, LimitError, type LimitPlace } from '../src/gateway/limits.ts'
import { CallerControl } from '../src/gateway/operations/caller-control.ts'
import { metricsText } from '../src/gateway/operations/metrics-text.ts'
import { serveOperations } from '../src/gateway/operations/serve-operations.ts'
import { SharedCallLimits } from '../src/gateway/shares/shared-call-limits.ts'
import { matcher } from '../src/gateway/views/view.ts'
import type { SharedState } from '../src/state/shared/shared-state.ts'
import { openSharedBreakers } from '../src/upstream/connection/shared-breakers.ts'
import { createLab } from './gateway-lab.ts'
import { createSharedPlace, type SharedPlace } from './shared-lab.ts'

let place: SharedPlace
beforeEach(() => {
  place = createSharedPlace()
})
afterEach(() => place.close())

async function join(limits: Partial<GatewayLimits>): Promise<CallLimits> {
  const state = await place.join()
  return new CallLimits(limits, matcher, new SharedCallLimits(state, { ...GATEWAY_LIMITS, ...limits }))
}

/** All know of each other before the first call. */
async function joinAll(count: number, limits: Partial<GatewayLimits>): Promise<CallLimits[]> {
  const states = await Promise.all(Array.from({ length: count }, () => place.join()))
  await vi.waitFor(() => expect(states.map(({ replicas }) => replicas.ids.size)).toEqual(states.map(() => count)))
  return states.map((state) => {
    return new CallLimits(limits, matcher, new SharedCallLimits(state, { ...GATEWAY_LIMITS, ...limits }))
  })
}

/** True where it was let in; what else goes wrong is thrown. */
async function enters(limits: CallLimits, tool = 'say'): Promise<LimitPlace | undefined> {
  try {
    return await limits.enter('ann', tool)
  } catch (error) {
    if (error instanceof LimitError) return undefined
    throw error
  }
}

describe('calls in a minute, over replicas (sec-450)', () => {
  it.each([1, 2, 7, 40, 100])('of three replicas, %i are let in and not one more', async (most) => {
    const replicas = await joinAll(3, { callsPerMinute: most })
    const tried = Array.from({ length: 3 * most + 30 }, (_, at) => replicas[at % 3] as CallLimits)
    const results = await Promise.all(tried.map((limits) => enters(limits)))
    expect(results.filter((entered) => entered !== undefined)).toHaveLength(most)
  })

  it('asks the shared state nothing while its share lasts', async () => {
    const [limits] = await joinAll(2, { callsPerMinute: 6000 })
    await limits?.enter('ann', 'say')
    const before = place.calls
    for (let call = 0; call < 100; call++) {
      const entered = limits?.enter('ann', 'say') as LimitPlace
      // No promise: the call goes on in the same turn.
      expect(entered).toEqual({ principal: 'ann', pair: undefined })
      limits?.leave(entered)
    }
    expect(place.calls).toBe(before)
  })

  it('keeps those of a tool besides', async () => {
    const replicas = await joinAll(2, { tools: { 'mail_*': { callsPerMinute: 3 } } })
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, at) => enters(replicas[at % 2] as CallLimits, 'mail_send')),
    )
    expect(results.filter((entered) => entered !== undefined)).toHaveLength(3)
    expect(await enters(replicas[0] as CallLimits, 'say')).toBeDefined()
  })
})

describe('calls at a time, over replicas (sec-451)', () => {
  it('are as many as the limit says, and again after some are over', async () => {
    const replicas = await joinAll(3, { maxConcurrent: 10 })
    const places: [CallLimits, LimitPlace][] = []
    for (let at = 0; at < 60; at++) {
      const limits = replicas[at % 3] as CallLimits
      const entered = await enters(limits)
      if (entered !== undefined) places.push([limits, entered])
    }
    expect(places).toHaveLength(10)
    for (const [limits, entered] of places) limits.leave(entered)
    expect(await enters(replicas[0] as CallLimits)).toBeDefined()
  })

  it('of replicas that died a moment ago are few: the others go on at once', async () => {
    // Nobody knows yet that these are gone: they hold what they held.
    const dead = await joinAll(6, { maxConcurrent: 64 })
    for (const limits of dead) expect(await enters(limits)).toBeDefined()
    const fresh = await join({ maxConcurrent: 64 })
    const results = await Promise.all(Array.from({ length: 20 }, () => enters(fresh)))
    expect(results.filter((entered) => entered !== undefined).length).toBe(20)
  })

  it('of a replica that is gone are free for the others', async () => {
    const one = await place.join()
    const limits = { ...GATEWAY_LIMITS, maxConcurrent: 4 }
    const gone = new CallLimits(limits, matcher, new SharedCallLimits(one, limits))
    for (let call = 0; call < 4; call++) expect(await enters(gone)).toBeDefined()
    const left = await join({ maxConcurrent: 4 })
    expect(await enters(left)).toBeUndefined()
    await one.replicas.close()
    await vi.waitFor(async () => expect(await enters(left)).toBeDefined())
  })
})

describe('limits while the shared state is away', () => {
  it('are an even part for each replica, and whole again afterwards', async () => {
    const [one, other] = await joinAll(2, { callsPerMinute: 10 })
    place.cut()
    const results = await Promise.all(Array.from({ length: 20 }, () => enters(one as CallLimits)))
    expect(results.filter((entered) => entered !== undefined)).toHaveLength(5)
    place.mend()
    expect(await enters(other as CallLimits)).toBeDefined()
  })

  it('that have no even part refuse with what says that nothing was done', async () => {
    const [one] = await joinAll(2, { callsPerMinute: 1 })
    place.cut()
    await expect(one?.enter('ann', 'say')).rejects.toMatchObject({ code: 'store-unavailable', delivery: 'not-sent' })
  })
})

describe('a gateway with shared state', () => {
  it('sec-548: shuts somebody out at all replicas, while the state is away too, says that the state is away, and when it is back', async () => {
    const target = createServer({ name: 'echo', version: '1', tools: { say: tool({}, () => 'said') } })
    const labs = await Promise.all([createLab({ echo: { target } }), createLab({ echo: { target } })])
    const gateways = await Promise.all(
      labs.map(async (lab) => createGateway(lab, { state: await place.join(), allowAnonymous: true })),
    )
    const [first, second] = gateways
    if (first === undefined || second === undefined) throw new Error('two were made')
    await first.revoke('ann')
    await vi.waitFor(() => expect(second.revoked()).toEqual(['ann']))
    expect(await second.restore('ann')).toBe(true)
    await vi.waitFor(() => expect(first.revoked()).toEqual([]))
    const operations = await serveOperations(first, { port: 0 })
    place.cut()
    await expect(first.revoke('bob')).rejects.toThrow(/shut out at this replica alone.*Send it again/)
    expect(first.revoked()).toEqual(['bob'])
    await vi.waitFor(() => expect(first.health()).toMatchObject({ ok: false, state: { available: false } }))
    const answer = await fetch(`${operations.url}/readyz`)
    expect([answer.status, await answer.text()]).toEqual([
      503,
      'not ready: the shared state does not answer, or takes no writes\n',
    ])
    expect(metricsText(first)).toContain('\nportico_state_available 0\n')
    place.mend()
    await vi.waitFor(() => expect(first.health().ok).toBe(true), { timeout: 5_000 })
    // sec-548: who was shut out meanwhile stays so, and is shut out by the others from now on.
    await vi.waitFor(() => expect(second?.revoked()).toEqual(['bob']), { timeout: 5_000 })
    expect(first.revoked()).toEqual(['bob'])
    await operations.close()
    for (const gateway of gateways) await gateway.close(0)
    for (const lab of labs) await lab.close()
  })
})

it('sec-731: a place that answers and takes no writes is not available until it does', async () => {
  const state = await place.join()
  const seen: boolean[] = []
  state.onAvailable((available) => seen.push(available))
  place.fill(true)
  // Nobody but the sign of life of this replica finds out.
  await vi.waitFor(() => expect(state.availability().available).toBe(false), { timeout: 20_000 })
  const { calls } = place
  await vi.waitFor(() => expect(place.calls).toBeGreaterThan(calls + 2), { timeout: 20_000 })
  expect(seen).toEqual([false])
  place.fill(false)
  await vi.waitFor(() => expect(seen).toEqual([false, true]), { timeout: 20_000 })
})

describe('somebody who is shut out at one replica and let in at another (sec-537)', () => {
  const nobody = { byPrincipal: () => new Map(), endOf: () => {} }
  const control = (state: SharedState) =>
    new CallerControl({ snapshot: () => ({ principals: {} }) as never }, nobody, {
      text: state.text('revoked'),
      failed: () => {},
      whenBack: (listener) => state.onAvailable((isBack) => isBack && listener()),
    })

  it('is what was said last, whether or not the other had heard of it', async () => {
    const [one, other] = [control(await place.join()), control(await place.join())]
    for (let turn = 0; turn < 20; turn++) {
      await one.revoke('ann')
      expect(await other.restore('ann'), `turn ${turn}`).toBe(true)
      await vi.waitFor(() => expect([one.revoked(), other.revoked()]).toEqual([[], []]))
      await other.restore('bob')
      await one.revoke('bob')
      await vi.waitFor(() => expect([one.revoked(), other.revoked()]).toEqual([['bob'], ['bob']]))
      expect(await one.restore('bob')).toBe(true)
    }
    expect(await other.restore('nobody')).toBe(false)
    one.close()
    other.close()
  })

  it('is the same at all replicas after many at once', async () => {
    const controls = [control(await place.join()), control(await place.join()), control(await place.join())]
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => {
        const at3 = controls[at % 3] as CallerControl
        return at % 2 === 0 ? at3.revoke(`p${at % 5}`) : at3.restore(`p${at % 5}`)
      }),
    )
    const kept = JSON.parse((await (await place.join()).text('revoked').get()) ?? '[]') as unknown[]
    const names = kept.filter((one) => typeof one === 'string').sort()
    await vi.waitFor(() => {
      for (const one of controls) expect([...one.revoked()].sort()).toEqual(names)
    })
    for (const one of controls) one.close()
  })

  it('sec-730: is let in by what was said later, when the earlier could not be written down at the time', async () => {
    const [one, other] = [control(await place.join()), control(await place.join())]
    place.cut()
    await expect(one.revoke('ann')).rejects.toMatchObject({ code: 'store-unavailable' })
    place.mend()
    // Before the first replica has noticed that the state is back; the second may not have heard of it.
    await other.restore('ann')
    await other.revoke('eve')
    await vi.waitFor(() => expect(one.isShutOut('eve')).toBe(true), { timeout: 20_000 })
    expect([one.isShutOut('ann'), other.isShutOut('ann')]).toEqual([false, false])
    // What waited is written with the next thing that is, and says nothing of ann any more.
    place.cut()
    await expect(one.revoke('bob')).rejects.toMatchObject({ code: 'store-unavailable' })
    place.mend()
    await vi.waitFor(() => expect(other.isShutOut('bob')).toBe(true), { timeout: 20_000 })
    expect([one.isShutOut('ann'), other.isShutOut('ann')]).toEqual([false, false])
    // Who is shut out again after that is so.
    await one.revoke('ann')
    await vi.waitFor(() => expect(other.isShutOut('ann')).toBe(true), { timeout: 20_000 })
    one.close()
    other.close()
  })

  it('stays shut out where it was said while the state was away, and everywhere when that is back', async () => {
    const [one, other] = [control(await place.join()), control(await place.join())]
    place.cut()
    await expect(one.revoke('ann')).rejects.toMatchObject({ code: 'store-unavailable' })
    place.mend()
    await other.revoke('bob')
    await vi.waitFor(() => expect(one.isShutOut('bob')).toBe(true))
    expect(one.isShutOut('ann')).toBe(true)
    await vi.waitFor(() => expect(other.isShutOut('ann')).toBe(true), { timeout: 20_000 })
    place.cut()
    await expect(other.restore('ann')).rejects.toThrow('stays shut out')
    place.mend()
    expect(await other.restore('ann')).toBe(true)
    await vi.waitFor(() => expect(one.isShutOut('ann')).toBe(false))
    one.close()
    other.close()
  })
})

describe('servers that keep failing', () => {
  it('are left alone by all replicas until one reaches them', async () => {
    const [one, other] = await Promise.all([place.join(), place.join()])
    const open = (state: typeof one) => openSharedBreakers(state.store, state.bus)
    const [first, second] = [await open(one), await open(other)]
    const until = Date.now() + 30_000
    first.opened('mail', until)
    await vi.waitFor(() => expect(second.openUntil('mail')).toBe(until))
    expect(second.openUntil('docs')).toBe(0)
    second.succeeded('mail')
    await vi.waitFor(() => expect(first.openUntil('mail')).toBe(0))
  })
})
