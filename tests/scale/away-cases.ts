/** A database that goes away, says nothing, and comes back: calls end with a typed error, and go on by themselves. */

import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { openState } from '@portico/host/state'
import { startBreaker } from '../support/breaker.ts'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { until } from '../support/wait.ts'
import { type Kind, missingFor, places } from './places.ts'

export const awayTrials: readonly Trial[] = (['postgres', 'valkey', 'redis'] as const).flatMap((kind) => [
  {
    name: `${kind} away`,
    long: kind === 'redis',
    missing: () => missingFor(kind),
    run: (report) => tryCut(kind, report),
  },
  { name: `${kind} silent`, long: true, missing: () => missingFor(kind), run: (report) => trySilence(kind, report) },
])

async function tryCut(kind: Kind, report: Report): Promise<void> {
  const place = await places.get(kind)
  const breaker = await startBreaker(place.port ?? 0)
  const { store, bus, status, close } = await openState(place.fresh(breaker.port))
  const heard: (string | undefined)[] = []
  try {
    await report.checkIn(
      'away',
      'is away from the start: a typed error that says what to do and no password',
      async () => {
        breaker.cut()
        const error = await store.get('k').catch((error: { code?: unknown; message: string }) => error)
        equal((error as { code?: unknown }).code, 'store-unavailable')
        match((error as Error).message, /See that the server runs/)
        ok(!(error as Error).message.includes('secret-word'))
        equal((await status()).available, false)
        breaker.mend()
      },
    )
    await report.checkIn('away', 'is found by a later call once it is there', async () => {
      await until(async () => (await status()).available, 'the database is back')
      await store.write([{ key: 'k', value: 'v' }])
      await bus.subscribe('t', (text) => heard.push(text))
      await bus.publish('t', 'before')
      await until(() => heard.includes('before'), 'the message came')
    })
    await report.checkIn(
      'away',
      'breaks in the middle: calls reject at once, and listeners are told to read again',
      async () => {
        breaker.cut()
        const codes = await Promise.all(
          [store.get('k'), store.lease('l', 'o', 1000), bus.publish('t', 'lost')].map((call) =>
            call.then(
              () => 'done',
              (error: { code?: unknown }) => error.code,
            ),
          ),
        )
        deepEqual(codes, ['store-unavailable', 'store-unavailable', 'store-unavailable'])
        breaker.mend()
        await until(() => heard.includes(undefined), 'listeners were told')
        await until(async () => (await store.get('k').catch(() => undefined))?.value === 'v', 'the value is there')
        await bus.publish('t', 'after')
        await until(() => heard.includes('after'), 'messages come again')
      },
    )
  } finally {
    await close()
    breaker.stop()
  }
}

/** Whoever answers nothing at all is given up after a while; nobody hangs. */
async function trySilence(kind: Kind, report: Report): Promise<void> {
  const place = await places.get(kind)
  const breaker = await startBreaker(place.port ?? 0)
  const { store, status, close } = await openState(place.fresh(breaker.port))
  try {
    await report.checkIn('away', 'says nothing: the call ends in bounded time', async () => {
      await store.write([{ key: 'k', value: 'v' }])
      breaker.silence()
      const code = await store.get('k').catch((error: { code?: unknown }) => error.code)
      equal(code, 'store-unavailable')
      breaker.cut()
      breaker.mend()
      await until(async () => (await status()).available, 'the database is back')
      equal((await store.get('k'))?.value, 'v')
    })
  } finally {
    await close()
    breaker.stop()
  }
}
