/** Every database passes the contracts of stores and buses. The SQLite file does so in its unit tests. */

import { type OpenedState, openState, type StateSetting } from '@portico/host/state'
import type { Store } from '@portico/sdk/state'
import { stateBusContract, stateStoreContract } from '@portico/sdk/testing'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { damageOf } from './contract-damage.ts'
import { type Kind, missingFor, places } from './places.ts'

export const contractTrials: readonly Trial[] = (['postgres', 'valkey', 'redis'] as const).map((kind) => ({
  name: `${kind} contract`,
  long: kind === 'redis',
  missing: () => missingFor(kind),
  run: (report) => runContracts(kind, report),
}))

/** So many cases at a time: each has a place of its own. */
const LANES = 6

async function runContracts(kind: Kind, report: Report): Promise<void> {
  const place = await places.get(kind)
  const open = async (): Promise<readonly [OpenedState, OpenedState, StateSetting]> => {
    const setting = place.fresh()
    return [await openState(setting), await openState(setting), setting]
  }
  const settings = new WeakMap<Store, StateSetting>()
  const store = stateStoreContract(
    async () => {
      const [one, other, setting] = await open()
      const first = closing(one, one.store)
      settings.set(first, setting)
      return [first, closing(other, other.store)]
    },
    (first) => damageOf(settings.get(first)),
  )
  const bus = stateBusContract(async () => {
    const [one, other] = await open()
    return [closing(one, one.bus), closing(other, other.bus)]
  })
  const queue = [
    ...store.map(
      ({ name, run }) =>
        () =>
          report.checkIn('store', name, run),
    ),
    ...bus.map(
      ({ name, run }) =>
        () =>
          report.checkIn('bus', name, run),
    ),
  ]
  const runLane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next()
  }
  await Promise.all(Array.from({ length: LANES }, runLane))
}

/** A part whose end is the end of the whole. */
function closing<Part extends { close(): Promise<void> }>(state: OpenedState, part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (name === 'close') return () => state.close()
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
