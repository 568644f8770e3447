/** Every store of the SDK passes the contract of its interface. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createMemoryTokenStore, type TokenStore } from '../auth/client/token-store.ts'
import { createFileTokenStore } from '../auth/client/token-store-file.ts'
import { createMemoryEvents } from '../serve/streamable/event-store.ts'
import { createMemorySessions } from '../serve/streamable/session-store.ts'
import { MemoryRoundStore } from '../session/kept-rounds/round-store.ts'
import { createMemoryBus } from '../state/memory-bus.ts'
import { createMemoryStore } from '../state/memory-store.ts'
import { eventStoreContract } from './event-store-contract.ts'
import { roundStoreContract } from './round-store-contract.ts'
import { type ContractSession, sessionStoreContract } from './session-store-contract.ts'
import { stateBusContract } from './state-bus-contract.ts'
import { stateStoreContract } from './state-store-contract.ts'
import { tokenStoreContract } from './token-store-contract.ts'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'stores-'))
})
afterAll(() => rm(root, { recursive: true }))

const tokenStores: { name: string; make: () => Promise<readonly [TokenStore, TokenStore]> }[] = [
  { name: 'memory', make: async () => twice(createMemoryTokenStore()) },
  {
    name: 'a folder',
    make: async () => {
      const folder = await mkdtemp(join(root, 'tokens-'))
      return [createFileTokenStore({ folder }), createFileTokenStore({ folder })]
    },
  },
]

describe.each(tokenStores)('the token store in $name', ({ make }) => {
  it.each(tokenStoreContract(make))('$name', ({ run }) => run())
})

describe('the event store in memory', () => {
  const make = createMemoryEvents({ maxReplayBytes: 2000, maxSessionReplayBytes: 4000, maxTotalReplayBytes: 8000 })
  it.each(eventStoreContract(() => make('session')))('$name', ({ run }) => run())
})

describe('the session store in memory', () => {
  const limits = { maxSessions: 2, maxSessionsPerPrincipal: 2, sessionIdleMs: 1000 }
  const make = () => {
    const clock = { now: 0 }
    return { clock, store: createMemorySessions<ContractSession>(limits, () => clock.now) }
  }
  it.each(sessionStoreContract(make))('$name', ({ run }) => run())
})

describe('the round store in memory', () => {
  it.each(roundStoreContract(async () => twice(new MemoryRoundStore())))('$name', ({ run }) => run())
})

describe('the store of state in memory', () => {
  it.each(stateStoreContract(async () => twice(createMemoryStore())))('$name', ({ run }) => run())
})

describe('the bus in memory', () => {
  it.each(stateBusContract(async () => twice(createMemoryBus())))('$name', ({ run }) => run())
})

function twice<T>(one: T): readonly [T, T] {
  return [one, one]
}
