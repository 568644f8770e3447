import { describe, expect, it } from 'vitest'
import { readMachine } from './memory-machine.ts'
import { watchMachine } from './memory-watch.ts'

const TOTAL = 1_600

/** What the machine has left at each look, the last of them from then on; resolves with the look at which it was over. */
function lookAt(left: readonly number[], maxBytes: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    let looks = 0
    const stop = (at: number | undefined): void => {
      unwatch()
      resolve(at)
    }
    const unwatch = watchMachine({
      maxBytes,
      held: () => 0,
      onOver: () => stop(looks),
      read: async () => {
        // One look more than there are values: whoever was over has been told by then.
        if (looks > left.length) stop(undefined)
        return { available: left[Math.min(looks++, left.length - 1)] ?? 0, total: TOTAL }
      },
    })
  })
}

describe.skipIf(process.platform !== 'linux')('sec-693: a machine in want of memory (servers 2)', () => {
  it.each([
    ['ends what began when there was more than its part', [800, 400, 99], 300, 3],
    ['leaves what began when there was no more than that', [350, 200, 99], 300, undefined],
    ['is none while a sixteenth is left', [800, 200, 100], 300, undefined],
  ])('%s', async (_, left, maxBytes, at) => {
    expect(await lookAt(left, maxBytes)).toBe(at)
  })

  it('sec-704: ends the largest of several, and the others only if that did not help', async () => {
    const ended: string[] = []
    let available = 800
    const names = ['small', 'large'] as const
    const looks = { small: 0, large: 0 }
    await new Promise<void>((resolve) => {
      const unwatches = names.map((name) =>
        watchMachine({
          maxBytes: 300,
          held: () => (name === 'large' ? 2 : 1),
          onOver: () => {
            ended.push(name)
            unwatches[names.indexOf(name)]?.()
            if (name === 'large') available = 500
          },
          read: async () => {
            looks[name]++
            if (Math.min(looks.small, looks.large) === 2 && ended.length === 0) available = 50
            // Long after: the other one was looked at many times since.
            if (looks.small === 12) {
              for (const unwatch of unwatches) unwatch()
              resolve()
            }
            return { available, total: TOTAL }
          },
        }),
      )
    })
    expect(ended).toEqual(['large'])
  })
})

describe('sec-704: the memory that there is', () => {
  const MEMINFO = 'MemTotal:       1000 kB\nMemAvailable:    900 kB\n'
  it.each([
    ['is the machine’s without a container', {}, { total: 1_024_000, available: 921_600 }],
    [
      'is the machine’s in a container without a bound',
      { 'cgroup/memory.max': 'max\n' },
      { total: 1_024_000, available: 921_600 },
    ],
    [
      'is the container’s where that has a bound',
      {
        'cgroup/memory.max': '2000\n',
        'cgroup/memory.current': '1500\n',
        'cgroup/memory.stat': 'anon 1\ninactive_file 100\n',
      },
      { total: 2_000, available: 600 },
    ],
    [
      'is so in the first version of groups',
      {
        'memory/memory.limit_in_bytes': '2000\n',
        'memory/memory.usage_in_bytes': '1500\n',
        'memory/memory.stat': 'total_inactive_file 7\n',
      },
      { total: 2_000, available: 507 },
    ],
  ])('%s', async (_, files, told) => {
    const texts = { meminfo: MEMINFO, ...files }
    const read = async (path: string): Promise<string> =>
      Object.entries(texts).find(([end]) => path.endsWith(`/${end}`))?.[1] ?? ''
    expect(await readMachine(read)).toEqual(told)
  })
})
