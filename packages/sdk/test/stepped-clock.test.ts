/** The clock of the machine is set an hour forth or back: pauses after a failure stay what they were (reliability F24). */

import { afterEach, expect, it, vi } from 'vitest'
import { Cooldown } from '../src/auth/verify/verify-fetch.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it.each([
  { step: 'an hour back', by: -3_600_000 },
  { step: 'an hour forth', by: 3_600_000 },
])('set $step: an issuer that failed is asked again after the pause, and not before', async ({ by }) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let passed = 0
  const start = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => start + passed)
  const cooldown = new Cooldown<string>(1_000)
  const fails = async (): Promise<string> => {
    throw new Error('away')
  }
  await expect(cooldown.run(fails)).rejects.toThrow('away')
  vi.setSystemTime(Date.now() + by)
  await expect(cooldown.run(async () => 'back')).rejects.toThrow('away')
  passed = 1_001
  expect(await cooldown.run(async () => 'back')).toBe('back')
})
