/** Runs the features on all clients of one server, through one gateway that listens and those that clients start. */

import type { Guest } from '../interop/guest.ts'
import { withLimit } from '../interop/report.ts'
import { FEATURES, tryFeature } from './features.ts'
import { type ListeningFront, listenFront } from './front.ts'
import { connectGuest } from './guests.ts'
import { openHouse, type Place } from './houses.ts'
import type { Mark, Row } from './table.ts'
import { nameOf, type Variant } from './variants.ts'

const LIMIT_MS = 30_000

export async function runHouse(server: Variant, clients: readonly Variant[], only: readonly string[]): Promise<Row[]> {
  const house = await openHouse(server)
  const front = await listenFront(house.place, server.version)
  const rows: Row[] = []
  try {
    for (const client of clients) rows.push(await runPair(client, server, house.place, front, only))
  } finally {
    await front.close()
    await house.close()
  }
  return rows
}

async function runPair(
  client: Variant,
  server: Variant,
  place: Place,
  front: ListeningFront,
  only: readonly string[],
): Promise<Row> {
  const marks = new Map<string, Mark>()
  const failures: { feature: string; error: unknown }[] = []
  const name = `${nameOf(client)} → ${nameOf(server)}`
  const began = performance.now()
  const failed = (feature: string, error: unknown): void => {
    marks.set(feature, 'fails')
    failures.push({ feature, error })
    console.log(`    FAIL  ${name}: ${feature}\n          ${describe(error)}`)
  }
  let guest: Guest | undefined
  try {
    guest = await withLimit(connectGuest(client, server, place, front), LIMIT_MS, 'connect')
    for (const feature of FEATURES) {
      const pair = { guest, client, server }
      if ((only.length > 0 && !only.includes(feature.name)) || feature.when?.(pair) === false) continue
      try {
        marks.set(feature.name, await withLimit(tryFeature(feature, pair), LIMIT_MS, feature.name))
      } catch (error) {
        failed(feature.name, error)
      }
    }
    await withLimit(guest.close(), LIMIT_MS, 'close')
  } catch (error) {
    failed('tools', error)
  }
  const took = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`  ${failures.length === 0 ? 'ok  ' : 'FAIL'}  ${name} (${took} s)`)
  return { client, server, marks, failures }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const place = error.stack?.split('\n').find((line) => line.includes('/tests/gateway/'))
  return `${error.message.split('\n').slice(0, 12).join('\n          ')}${place === undefined ? '' : `\n          ${place.trim()}`}`
}
