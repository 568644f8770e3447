import { expect, test } from 'vitest'
import { now } from './clock.ts'

const LONG_MS = 60_000

test('the clock goes on while this thread does nothing else, so that a client that blocks is late', () => {
  const [began, before] = [performance.now(), now()]
  while (now() < before + 200 && performance.now() < began + LONG_MS);
  expect(now() - before).toBeGreaterThanOrEqual(200)
})
