/** Every tool called with arguments made at random from its own schema: none may crash, and every answer fits its schema (sec-122). */

import assert from 'node:assert/strict'
import { propertyCalls } from '@portico/sdk/testing'
import { type EntryValue, loadEntry, SERVER_NAMES, type ServerName } from '@portico/servers'
import type { Trial } from '../support/suite.ts'
import { missingFor, openFixture } from './fixtures.ts'

const RUNS = 40
/** The same arguments each time, unless others are asked for: `PORTICO_SEED=7 npm run servers -- 'random arguments'`. */
const SEED = Number(process.env.PORTICO_SEED ?? 1)

/** Without a question, where a server has that, so that the tools that change things do their work, too. */
const UNASKED: { readonly [option: string]: EntryValue } = { write: true, allowUnasked: true }

/** The server for trying clients has a tool that fails on purpose. */
const TRIED = SERVER_NAMES.filter((name) => name !== 'everything')

export const randomTrials: readonly Trial[] = TRIED.map((name) => ({
  name: `random arguments: ${name}`,
  missing: () => missingFor(name),
  run: () => tryAtRandom(name),
}))

async function tryAtRandom(name: ServerName): Promise<void> {
  const fixture = await openFixture(name)
  try {
    const entry = await loadEntry(name)
    const unasked = Object.entries(UNASKED).filter(([option]) => option in entry.options)
    const ready = await entry.create({ ...fixture.callOf(name).values, ...Object.fromEntries(unasked) })
    try {
      const reports = await propertyCalls(ready.server, { runs: RUNS, seed: SEED })
      assert.ok(reports.length > 0, 'it has no tools')
      for (const { tool, fitting } of reports) assert.ok(fitting > 0, `no arguments fitted ${tool}`)
    } finally {
      await ready.close()
    }
  } finally {
    await fixture.close()
  }
}
