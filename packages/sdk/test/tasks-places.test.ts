/** The places of tasks: a handler takes one until it has settled, whatever became of its task meanwhile. */

import { afterEach, describe, expect, it, vi } from 'vitest'
import { PorticoError } from '../src/jsonrpc/errors.ts'
import type { ProtocolVersion } from '../src/protocol/revision.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { createTasks, type Tasks, type TasksOptions } from '../src/server/tasks/tasks.ts'
import { createMemoryBus } from '../src/state/memory-bus.ts'
import { createMemoryStore } from '../src/state/memory-store.ts'
import type { Store } from '../src/state/store.ts'
import { createGate, DECLARED, taskOf, textOf, until } from './tasks-fixture.ts'
import { open, type Wire } from './wire.ts'

const GENERATIONS = ['2025-11-25', '2026-07-28'] as const
/** However busy the machine is. */
const soon = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, 30_000)
const made: Tasks[] = []
afterEach(() => {
  for (const tasks of made.splice(0)) tasks.close()
})

/** What handlers that hear no signal are doing. */
class Stubborn {
  running = 0
  most = 0
  aborted = 0
  #ends: (() => void)[] = []

  async work(signal: AbortSignal): Promise<string> {
    this.running++
    this.most = Math.max(this.most, this.running)
    signal.addEventListener('abort', () => this.aborted++)
    if (signal.aborted) this.aborted++
    await new Promise<void>((resolve) => this.#ends.push(resolve))
    this.running--
    return 'done'
  }

  /** Lets the newest handler come to its end. */
  endOne(): void {
    this.#ends.pop()?.()
  }
}

function makeServer(stubborn: Stubborn, options: TasksOptions) {
  const tasks = createTasks(options)
  made.push(tasks)
  return createServer({
    name: 'places',
    version: '1',
    slow: false,
    onError: () => {},
    tasks,
    tools: {
      work: tool({ task: 'required' }, (_args, ctx) => stubborn.work(ctx.signal)),
      brief: tool({ task: { mode: 'required', ttlMs: 1 } }, (_args, ctx) => stubborn.work(ctx.signal)),
      leaves: tool({ task: { mode: 'auto', after: 1 } }, (_args, ctx) => stubborn.work(ctx.signal)),
    },
  })
}

function connect(server: ReturnType<typeof makeServer>, version: ProtocolVersion = '2026-07-28'): Promise<Wire> {
  return open({ transport: 'memory', server }, version, { capabilities: DECLARED })
}

function begin(wire: Wire, name = 'work') {
  return wire.request('tools/call', { name, ...(!wire.modern && { task: {} }) })
}

async function beginAndCancel(wire: Wire, name = 'work'): Promise<void> {
  const { taskId } = taskOf((await begin(wire, name)).result)
  await wire.request('tasks/cancel', { taskId })
}

describe('the places of one caller', () => {
  it.each(GENERATIONS)(
    'sec-687: on %s, stay taken by handlers that go on after their tasks were cancelled',
    async (version) => {
      const stubborn = new Stubborn()
      const wire = await connect(makeServer(stubborn, { limits: { maxAnonymousTasks: 3 } }), version)
      for (let turn = 0; turn < 3; turn++) await beginAndCancel(wire)
      await soon(() => expect(stubborn.aborted).toBe(3))
      const { error } = await begin(wire)
      expect(error).toMatchObject({ code: -32600, message: expect.stringMatching(/maxAnonymousTasks \(3\)/) })
      expect(stubborn.most).toBe(3)
      stubborn.endOne()
      const { taskId } = taskOf((await begin(wire)).result)
      stubborn.endOne()
      stubborn.endOne()
      stubborn.endOne()
      await until(wire, taskId, 'completed')
    },
  )

  it('sec-687: stay taken by handlers whose tasks have expired', async () => {
    const stubborn = new Stubborn()
    const wire = await connect(makeServer(stubborn, { limits: { maxAnonymousTasks: 2 }, leaseMs: 30 }))
    for (let turn = 1; turn <= 2; turn++) {
      const { taskId } = taskOf((await begin(wire, 'brief')).result)
      await soon(async () => expect((await wire.request('tasks/get', { taskId })).error).toBeDefined())
    }
    // One that has expired before it was taken was never run.
    while (stubborn.running < 2) await begin(wire, 'brief')
    await soon(() => expect(stubborn.aborted).toBe(2))
    expect((await begin(wire, 'brief')).error?.code).toBe(-32600)
    expect(stubborn.most).toBe(2)
  })

  it('sec-687: a call that would be a task beyond them goes on as a request, which counts as one', async () => {
    const stubborn = new Stubborn()
    const wire = await connect(makeServer(stubborn, { limits: { maxAnonymousTasks: 2 } }))
    for (let turn = 0; turn < 2; turn++) await beginAndCancel(wire, 'leaves')
    const third = begin(wire, 'leaves')
    await soon(() => expect(stubborn.running).toBe(3))
    stubborn.endOne()
    expect(textOf((await third).result)).toBe('done')
    expect(stubborn.running).toBe(2)
  })

  it('sec-687: hold in the process that works, when another answers callers: what is beyond waits', async () => {
    const [bus, stubborn] = [createMemoryBus(), new Stubborn()]
    const { store, watched } = watchLeases()
    const front = await connect(makeServer(new Stubborn(), { store, bus, work: false }))
    makeServer(stubborn, { store: watched.store, bus, limits: { maxAnonymousTasks: 2 } })
    for (let turn = 1; turn <= 2; turn++) {
      const { taskId } = taskOf((await begin(front)).result)
      await soon(() => expect(stubborn.running).toBe(turn))
      await front.request('tasks/cancel', { taskId })
    }
    const before = watched.released
    const third = taskOf((await begin(front)).result)
    // The worker has come by, and left it.
    await soon(() => expect(watched.released).toBeGreaterThan(before))
    expect(stubborn.most).toBe(2)
    stubborn.endOne()
    stubborn.endOne()
    await soon(() => expect(stubborn.running).toBe(1))
    stubborn.endOne()
    await until(front, third.taskId, 'completed')
    expect(stubborn.most).toBe(2)
  })
})

describe('the places of a process', () => {
  it('sec-687: a call beyond maxRunning does not become a task', async () => {
    const stubborn = new Stubborn()
    const wire = await connect(makeServer(stubborn, { limits: { maxRunning: 1 } }))
    await beginAndCancel(wire, 'leaves')
    const second = begin(wire, 'leaves')
    await soon(() => expect(stubborn.running).toBe(2))
    stubborn.endOne()
    expect(textOf((await second).result)).toBe('done')
    expect(stubborn.running).toBe(1)
  })
})

describe('a call that becomes a task', () => {
  it('sec-688: is leased before others can see it, so that nobody runs it a second time', async () => {
    const [bus, stubborn, others] = [createMemoryBus(), new Stubborn(), new Stubborn()]
    const { store, watched } = watchLeases()
    const write: typeof store.write = async (changes) => {
      const written = await store.write(changes)
      // Another process comes by in the very moment in which the task is there.
      if (changes.some(({ key, ifVersion }) => key.startsWith('task/') && ifVersion === 0)) {
        makeServer(others, { store: watched.store, bus })
        await soon(() => expect(watched.asked).toBeGreaterThan(0))
      }
      return written
    }
    const wire = await connect(makeServer(stubborn, { store: withParts(store, { write }), bus }))
    const { taskId } = taskOf((await begin(wire, 'leaves')).result)
    expect(others.running).toBe(0)
    stubborn.endOne()
    await until(wire, taskId, 'completed')
    expect(others.most).toBe(0)
  })
})

describe('a call that cannot become a task', () => {
  const isTake = (changes: Parameters<Store['write']>[0]) => changes.some(({ key }) => key.startsWith('task-run/'))
  const away = () => new PorticoError('store-unavailable', 'away')

  it.each([
    ['fails for a moment', 0],
    ['is away for a while', 1],
  ])('sec-711: is begun by nobody else, when the store %s', async (_how, failing) => {
    const [bus, stubborn, others] = [createMemoryBus(), new Stubborn(), new Stubborn()]
    const store = createMemoryStore()
    const [released, taken] = [createGate(), createGate()]
    let left = Infinity
    const flaky: Partial<Store> = {
      write: async (changes) => {
        if (isTake(changes)) left = failing
        else if (left > 0 && left !== Infinity) left--
        else return store.write(changes)
        taken.open()
        throw away()
      },
      release: async (...lease) => {
        await store.release(...lease)
        released.open()
      },
    }
    const wire = await connect(makeServer(stubborn, { store: withParts(store, flaky), bus, leaseMs: 6000 }))
    const answer = begin(wire, 'leaves')
    await taken.opened
    makeServer(others, { store, bus })
    await released.opened
    const [row] = await store.list('task/', { limit: 1 })
    expect(JSON.parse(row?.value ?? '')).toMatchObject({ status: 'cancelled' })
    expect(others.most).toBe(0)
    expect(stubborn.most).toBe(1)
    stubborn.endOne()
    expect(textOf((await answer).result)).toBe('done')
  })
})

describe('a task that is cancelled while a worker takes it', () => {
  it('sec-688: has the signal of its handler fire at once', async () => {
    const [store, stubborn] = [createMemoryStore(), new Stubborn()]
    const bus = createMemoryBus()
    const slow = createGate()
    const publish: typeof bus.publish = async (topic, text) => {
      if (topic.startsWith('task/') && text === 'working') await slow.opened
      await bus.publish(topic, text)
    }
    const wire = await connect(makeServer(stubborn, { store, bus: { ...bus, publish } }))
    const begun = begin(wire)
    await soon(async () => expect(await store.list('task-run/', { limit: 1 })).toHaveLength(1))
    const [row] = await store.list('task/', { limit: 1 })
    const taskId = (JSON.parse(row?.value ?? '') as { id: string }).id
    await wire.request('tasks/cancel', { taskId })
    slow.open()
    await begun
    await soon(() => expect(stubborn.aborted).toBe(1))
    stubborn.endOne()
  })
})

/** A store with some of its parts replaced. */
function withParts(store: Store, parts: Partial<Store>): Store {
  const names = ['get', 'write', 'list', 'lease', 'renew', 'release', 'holder', 'close'] as const
  const own = names.map((name) => [name, (store[name] as (...args: unknown[]) => unknown).bind(store)])
  return { ...Object.fromEntries(own), ...parts }
}

/** A store, and the same as another process has it: how often that one asked for a lease, and gave one back. */
function watchLeases() {
  const store = createMemoryStore()
  const watched = {
    asked: 0,
    released: 0,
    store: withParts(store, {
      lease: (...lease) => {
        watched.asked++
        return store.lease(...lease)
      },
      release: (...lease) => {
        watched.released++
        return store.release(...lease)
      },
    }),
  }
  return { store, watched }
}
