/** State in a SQLite file passes the contracts that every place for state passes. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stateBusContract, stateStoreContract } from '@portico/sdk/testing'
import { afterAll, afterEach, describe, it } from 'vitest'
import { openState } from '../open-state.ts'
import type { OpenedState } from '../opened-state.ts'

const root = mkdtempSync(join(tmpdir(), 'portico-state-'))
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const opened: OpenedState[] = []
afterEach(async () => {
  for (const state of opened.splice(0)) await state.close()
})

let files = 0
async function twice(): Promise<readonly [OpenedState, OpenedState]> {
  const setting = { sqlite: join(root, `${files++}`, 'state.db') }
  const [one, other] = [await openState(setting), await openState(setting)]
  opened.push(one, other)
  return [one, other]
}

describe('the store in a SQLite file', () => {
  const make = async () => {
    const [one, other] = await twice()
    return [one.store, other.store] as const
  }
  it.each(stateStoreContract(make))('$name', ({ run }) => run())
})

describe('the bus in a SQLite file', () => {
  const make = async () => {
    const [one, other] = await twice()
    return [one.bus, other.bus] as const
  }
  it.each(stateBusContract(make))('$name', ({ run }) => run())
})
