/** A row of the shared state that cannot be opened: named where it matters, passed over where it comes and goes. */

import { createServer, prompt } from '@portico/sdk/server'
import { testClient } from '@portico/sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toCallerError, toToolFailure } from '../src/gateway/call/failures.ts'
import { GATEWAY_LIMITS } from '../src/gateway/limits.ts'
import { SharedCallLimits } from '../src/gateway/shares/shared-call-limits.ts'
import { openSharedBreakers } from '../src/upstream/connection/shared-breakers.ts'
import { createSharedPlace, KEY, OTHER_KEY, type SharedPlace } from './shared-lab.ts'

let place: SharedPlace
beforeEach(() => {
  place = createSharedPlace()
})
afterEach(() => place.close())

describe('a row that cannot be opened (sec-536)', () => {
  it.each([['text/grants'], ['pin/of-a-server'], ['names']])(
    'is named to a replica that starts, with what to do: %s',
    async (row) => {
      await (await place.join()).close()
      await place.raw.write([{ key: row, value: 'p1.forged.AAAA' }])
      const starting = place.join()
      await expect(starting).rejects.toMatchObject({ code: 'secret-missing', data: { row } })
      await expect(starting).rejects.toThrow(/`state\.keys`, or delete the row/)
    },
  )

  it('that was altered is told apart from one of another key', async () => {
    const state = await place.join([KEY])
    await state.text('grants').update(() => 'x')
    const kept = (await place.raw.get('text/grants'))?.value ?? ''
    await expect(place.join([OTHER_KEY])).rejects.toThrow('sealed with a key that is not known here')
    await place.raw.write([{ key: 'text/grants', value: `${kept.slice(0, -8)}AAAAAAA=` }])
    await expect(place.join([KEY])).rejects.toThrow('The row "text/grants" of the shared state was altered')
  })

  it.each([
    ['a replica', 'replica/nobody'],
    ['a server that is left alone', 'breaker/nothing'],
  ])('stops nobody where it stands for what comes and goes: %s', async (_, row) => {
    await place.raw.write([{ key: row, value: 'written by somebody else' }])
    const [one, other] = [await place.join(), await place.join()]
    expect((await other.replicas.list()).map(({ id }) => id).sort()).toEqual(
      [one.replicas.id, other.replicas.id].sort(),
    )
    const breakers = await openSharedBreakers(other.store, other.bus)
    expect(breakers.openUntil('any')).toBe(0)
    breakers.close()
  })
})

describe('a row that somebody else has damaged', () => {
  const spoil = async (prefix: string): Promise<void> => {
    const rows = await place.raw.list(prefix, { limit: 100 })
    expect(rows.length).toBeGreaterThan(0)
    for (const { key } of rows) await place.raw.write([{ key, value: 'garbage' }])
  }

  it.each(['rate/', 'slots/'])('sec-728: is written anew by the next call that it counts: %s', async (prefix) => {
    const limits = { ...GATEWAY_LIMITS, callsPerMinute: 8, maxConcurrent: 8 }
    const [one, other] = [await place.join(), await place.join()]
    await new SharedCallLimits(one, limits).enter('ann', undefined)
    await spoil(prefix)
    await expect(new SharedCallLimits(other, limits).enter('ann', undefined)).resolves.toMatchObject({
      principal: 'ann',
    })
    expect((await other.store.list(prefix, { limit: 10 })).length).toBeGreaterThan(0)
  })

  it('sec-728: is written anew by whoever has read it before, and refused by whoever has not', async () => {
    const [one, other] = [await place.join(), await place.join()]
    const [known, unknown] = [one.text('grants'), other.text('grants')]
    await known.update(() => 'kept')
    await spoil('text/grants')
    await expect(unknown.get()).rejects.toMatchObject({ code: 'secret-missing', data: { row: 'text/grants' } })
    expect(await known.get()).toBe('kept')
    expect(await unknown.get()).toBe('kept')
    await spoil('text/grants')
    await unknown.update((text) => `${text} and more`)
    expect(await known.get()).toBe('kept and more')
  })

  it('sec-729: is told to those who run the gateway, and a caller gets a reference and may try again', async () => {
    const state = await place.join()
    await state.store.write([{ key: 'rate/ann', value: '1' }])
    await spoil('rate/ann')
    const error = await state.store.get('rate/ann').catch((thrown: unknown) => thrown)
    expect(toToolFailure(error)).toBeUndefined()
    const told: unknown[] = []
    const server = createServer({
      name: 'x',
      version: '1.0.0',
      onError: (thrown) => told.push(thrown),
      prompts: {
        any: prompt({}, () => {
          throw toCallerError(error, 'mail')
        }),
      },
    })
    const client = await testClient(server)
    const shown = await client.getPrompt('any').catch((thrown: unknown) => thrown)
    await client.close()
    expect(String((shown as Error).message)).toMatch(/Reference: /)
    expect(JSON.stringify(shown)).not.toMatch(/rate|row|sealed|key/)
    expect(shown).toMatchObject({ data: { code: 'store-unavailable', delivery: 'unknown' } })
    expect(told).toMatchObject([{ cause: { message: expect.stringContaining('The row "rate/ann"') } }])
  })
})
