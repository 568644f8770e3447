/** What every `SessionStore` must do: find what was added, bounded in number and in idle time, and end what it lets go. */

import type { Expiring, SessionStore } from '../serve/streamable/session-store.ts'
import { type ContractCase, expect, expectEqual, inTime } from './contract.ts'

/** A session as far as a store sees one. */
export interface ContractSession extends Expiring {
  busy: boolean
  readonly ended: boolean
}

/** A store with room for two sessions, which expire after a second without use, and the clock that it reads. */
interface ContractSessions {
  readonly store: SessionStore<ContractSession>
  readonly clock: { now: number }
}

const IDLE_MS = 1000

/** The cases of a session store. `make` gives a fresh one that holds two sessions for a second each. */
export function sessionStoreContract(make: () => ContractSessions): ContractCase[] {
  const withStore = (name: string, body: (sessions: ContractSessions) => void): ContractCase => ({
    name,
    run: async () => {
      const sessions = make()
      const done = (async () => body(sessions))()
      await inTime(done, name).finally(() => sessions.store.close())
    },
  })
  return [
    withStore('finds what was added, until it is forgotten, which ends nothing', ({ store }) => {
      const one = createSession('one')
      expectEqual(store.add(one), undefined)
      expect(store.get('one') === one, 'the session that was added is found')
      expectEqual(
        [...store.values()].map(({ id }) => id),
        ['one'],
      )
      store.delete('one')
      expectEqual([store.get('one') === undefined, one.ended, store.size], [true, false, 0])
    }),
    withStore('lets a session expire one millisecond after its time, and ends it', ({ store, clock }) => {
      const one = createSession('one')
      store.add(one)
      clock.now += IDLE_MS
      expect(store.get('one') === one, 'a session at its bound is there')
      clock.now += IDLE_MS + 1
      expectEqual([store.get('one') === undefined, one.ended], [true, true])
    }),
    withStore('keeps a busy session for as long as it is', ({ store, clock }) => {
      const one = createSession('one')
      store.add(one)
      one.busy = true
      clock.now += 10 * IDLE_MS
      expect(store.get('one') === one, 'a busy session does not expire')
    }),
    withStore('names the bound that leaves no room, and adds nothing then', ({ store }) => {
      for (const id of ['one', 'two']) {
        store.add(createSession(id))
        store.get(id)
      }
      expectEqual([store.add(createSession('three')), store.get('three') === undefined], ['maxSessions', true])
      expectEqual(store.size, 2)
    }),
    withStore('ends all sessions when it is closed', ({ store }) => {
      const all = ['one', 'two'].map(createSession)
      for (const session of all) store.add(session)
      store.close()
      expectEqual([...all.map(({ ended }) => ended), store.size], [true, true, 0])
    }),
  ]
}

function createSession(id: string): ContractSession {
  let ended = false
  return {
    id,
    lastUsed: 0,
    busy: false,
    get ended() {
      return ended
    },
    sweep() {},
    end() {
      ended = true
    },
  }
}
