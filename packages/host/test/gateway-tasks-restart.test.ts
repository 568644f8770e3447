/** A gateway that ends in the middle of long work, and another that goes on with it from the same store. */

import { createMemoryStore, type Lease, type Store } from '@portico/sdk/state'
import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, createSite, type Site, textOf } from './gateway-site.ts'
import { eventually, followed, modern, Works } from './gateway-task-site.ts'

afterEach(closeAll)

const WITH_TASKS = ['2025-11-25', '2026-07-28'] as const

/** A gateway with a store that another may have, too. */
async function siteOf(works: Works, version: (typeof WITH_TASKS)[number] | '2025-06-18', store: Store): Promise<Site> {
  const settings = { tasksAfterMs: 0 }
  return createSite({ works: { target: works.server, versions: version, settings } }, { tasks: { store } })
}

/** A store of a process that can be killed: then nothing is written or told any more, and its leases run out at once. */
function mortal(store: Store): { readonly store: Store; kill(): Promise<void> } {
  let isDead = false
  const leases: [key: string, lease: Lease][] = []
  const own = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        if (isDead) return new Promise<never>(() => {})
        const result: unknown = await member.apply(target, args)
        if (name === 'lease' && result !== undefined) leases.push([String(args[0]), result as Lease])
        return result
      }
    },
  })
  return {
    store: own,
    async kill() {
      isDead = true
      for (const [key, lease] of leases) await store.release(key, lease)
    },
  }
}

/** The methods of a store as members, so that some can be replaced. */
function unbound(store: Store): Store {
  return {
    get: (...args) => store.get(...args),
    list: (...args) => store.list(...args),
    write: (...args) => store.write(...args),
    lease: (...args) => store.lease(...args),
    renew: (...args) => store.renew(...args),
    release: (...args) => store.release(...args),
    holder: (...args) => store.holder(...args),
    close: () => store.close(),
  }
}

async function begin(site: Site, name: string): Promise<string> {
  return (await modern(site, 'tools/call', { name, arguments: {} })).result.taskId
}

describe('a gateway that is closed, with a store', () => {
  test.each(WITH_TASKS)(
    'tasks 1.4: leaves the task at a server of %s, and the next one goes on with it',
    async (version) => {
      const store = createMemoryStore()
      const works = new Works(version, {})
      const first = await siteOf(works, version, store)
      const taskId = await begin(first, 'slow')
      await eventually(() => first.gateway.metrics().followed).toBe(1)
      await first.gateway.close(0)
      expect(works.seen).toEqual(['begun'])
      const second = await siteOf(works, version, store)
      await eventually(() => second.gateway.metrics().followed).toBe(1)
      works.gate.open()
      expect(textOf((await followed(second, taskId)).result)).toBe('done')
      expect(works.seen).toEqual(['begun'])
    },
  )

  test.each(WITH_TASKS)(
    'tasks 1.4: goes on after a question to a server of %s that nobody had answered',
    async (version) => {
      const store = createMemoryStore()
      const works = new Works(version, {})
      const first = await siteOf(works, version, store)
      const taskId = await begin(first, 'sure')
      await followed(first, taskId, 'ada', 'input_required')
      await first.gateway.close(0)
      const second = await siteOf(works, version, store)
      expect(textOf((await followed(second, taskId)).result)).toBe('accept accept')
    },
  )
})

describe('a gateway that is killed', () => {
  test.each(WITH_TASKS)('tasks 1.4: is followed by one that resumes the task at a server of %s', async (version) => {
    const kept = createMemoryStore()
    const { store, kill } = mortal(kept)
    const works = new Works(version, {})
    const first = await siteOf(works, version, store)
    const taskId = await begin(first, 'slow')
    // A call that dies before the server's task is noted is lost, and says so.
    const steps = async () => (await kept.list('task-log/', { limit: 10 })).map(({ value }) => value).join()
    await eventually(steps).toContain('taskId')
    await kill()
    const second = await siteOf(works, version, kept)
    await eventually(() => second.gateway.metrics().followed).toBe(1)
    works.gate.open()
    expect(textOf((await followed(second, taskId)).result)).toBe('done')
    expect(works.seen).toEqual(['begun'])
  })

  test('tasks 1.4: is so slow that another takes the task over: the work at the server goes on', async () => {
    const kept = createMemoryStore()
    let isSlow = false
    // As a process that stood still finds its lease: it has run out, and somebody else has the task.
    const store: Store = {
      ...unbound(kept),
      async renew(key, lease, ms) {
        if (isSlow) await kept.release(key, lease)
        isSlow = false
        return kept.renew(key, lease, ms)
      },
    }
    const works = new Works('2026-07-28', {})
    const site = await createSite(
      { works: { target: works.server, versions: '2026-07-28', settings: { tasksAfterMs: 0 } } },
      { tasks: { store, leaseMs: 1500 } },
    )
    const taskId = await begin(site, 'slow')
    await eventually(() => site.gateway.metrics().followed).toBe(1)
    const epoch = async () => JSON.parse((await kept.list('task/', { limit: 1 }))[0]?.value ?? '{}').epoch
    const before = await epoch()
    isSlow = true
    await eventually(epoch).toBeGreaterThan(before)
    works.gate.open()
    expect(textOf((await followed(site, taskId)).result)).toBe('done')
    expect(works.seen).toEqual(['begun'])
  })

  test('sec-396: never sends a second time what a server without tasks was sent', async () => {
    const kept = createMemoryStore()
    const { store, kill } = mortal(kept)
    const works = new Works('2025-06-18')
    const first = await siteOf(works, '2025-06-18', store)
    const taskId = await begin(first, 'slow')
    await eventually(() => works.seen).toEqual(['begun'])
    await kill()
    const second = await siteOf(works, '2025-06-18', kept)
    const task = await followed(second, taskId)
    expect(task.result.isError).toBe(true)
    expect(textOf(task.result)).toContain('the answer is lost. What it does may have happened')
    expect(works.seen).toEqual(['begun'])
    works.gate.open()
  })
})
