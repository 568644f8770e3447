import { getEventListeners } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { timeLimit, wait } from './time-limit.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

describe('a limit of time', () => {
  it('runs out although garbage is collected while nobody else holds it (reliability 1, "no hang")', async () => {
    const aborted = new Promise<unknown>((resolve) => {
      const limit = timeLimit(200, new AbortController().signal)
      limit.addEventListener('abort', () => resolve(limit.reason))
    })
    for (let turn = 0; turn < 5; turn++) {
      collect()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(await aborted).toMatchObject({ name: 'TimeoutError' })
  })

  it('ends with the first of the other signals', () => {
    const other = new AbortController()
    const limit = timeLimit(60_000, other.signal)
    other.abort('enough')
    expect(limit.reason).toBe('enough')
  })

  it('is what every package joins with other signals: AbortSignal.timeout inside AbortSignal.any may never fire', () => {
    const packages = fileURLToPath(new URL('../../../', import.meta.url))
    const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' })
      .filter((file) => /^[a-z]+[\\/]src[\\/].*\.tsx?$/.test(file) && !/\.test\.|node_modules/.test(file))
      .filter((file) => {
        const text = readFileSync(join(packages, file), 'utf8')
        // Either at once, or by a name that is given to it before.
        const names = [...text.matchAll(/const (\w+) = AbortSignal\.timeout\(/g)].map(([, name]) => name)
        const joined = [...text.matchAll(/AbortSignal\.any\(\[([\s\S]*?)\]\)/g)].map(([, inner = '']) => inner)
        return joined.some(
          (inner) =>
            inner.includes('AbortSignal.timeout') || names.some((name) => new RegExp(`\\b${name}\\b`).test(inner)),
        )
      })
    expect(sources).toEqual([])
  })
})

it('wait ends with its time, and leaves nothing on a signal that lasts longer', async () => {
  const { signal } = new AbortController()
  for (let turn = 0; turn < 3; turn++) await wait(1, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('wait ends when the signal fires, or has fired', async () => {
  const controller = new AbortController()
  const waiting = wait(2 ** 31 - 1, controller.signal)
  controller.abort()
  await waiting
  await wait(2 ** 31 - 1, controller.signal)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})
