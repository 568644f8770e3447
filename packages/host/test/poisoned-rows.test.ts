/** A row of the shared state that cannot be opened: named where it matters, passed over where it comes and goes. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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
