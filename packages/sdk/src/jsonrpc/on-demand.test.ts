import { describe, expect, it, vi } from 'vitest'
import { onDemand } from './on-demand.ts'

describe('a part that is loaded when it is needed (house 2)', () => {
  it('is a promise at first, then there at once, and loaded one time', async () => {
    const part = { name: 'part' }
    const load = vi.fn(async () => part)
    const get = onDemand(load)
    const first = get()
    expect(first).toBeInstanceOf(Promise)
    expect(get()).toBe(first)
    await first
    expect(get()).toBe(part)
    expect(load).toHaveBeenCalledTimes(1)
  })

  it('lets those who waited go on in their order, before anybody who finds it loaded', async () => {
    const order: string[] = []
    let finish!: (part: object) => void
    const get = onDemand(() => new Promise<object>((resolve) => (finish = resolve)))
    const use = (name: string): void => {
      const part = get()
      if (part instanceof Promise) void part.then(() => order.push(name))
      else order.push(name)
    }
    use('first')
    use('second')
    finish({})
    for (let turn = 0; turn < 5; turn++) {
      use(`turn ${turn}`)
      await null
    }
    expect(order.slice(0, 3)).toEqual(['first', 'second', 'turn 0'])
    expect(order).toHaveLength(7)
    expect(order.slice(2)).toEqual(['turn 0', 'turn 1', 'turn 2', 'turn 3', 'turn 4'])
  })

  it('fails for those who waited, and is tried again by the next', async () => {
    const part = {}
    const load = vi.fn<() => Promise<object>>().mockRejectedValueOnce(new Error('no such file')).mockResolvedValue(part)
    const get = onDemand(load)
    await expect(get()).rejects.toThrow('no such file')
    expect(await get()).toBe(part)
  })
})
