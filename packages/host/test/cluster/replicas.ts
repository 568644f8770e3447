/** Replicas of one small server in one process, for tests: each with its own port, all on one store. */

import { type Cluster, type ClusterOptions, createCluster } from '@portico/host/cluster'
import { type HttpOptions, type HttpServer, serveHttp } from '@portico/sdk/http'
import { createPrincipal, createServer, PorticoError, resource, type Server, tool } from '@portico/sdk/server'
import { type Bus, createMemoryBus, createMemoryStore, type Store } from '@portico/sdk/state'

export interface TestReplica {
  readonly cluster: Cluster
  readonly server: Server
  readonly http: HttpServer
  /** Lets what waits in `hold` go on. */
  readonly release: () => void
  /** How often a tool ran here. */
  readonly runs: string[]
  /** Whether the store is away for this replica. */
  readonly cut: (away: boolean) => void
  close(): Promise<void>
  /** Ends it as a crash would: nothing is handed over. */
  crash(): Promise<void>
}

export interface TestCluster {
  readonly replicas: TestReplica[]
  add(options?: Partial<ClusterOptions> & { readonly http?: HttpOptions }): Promise<TestReplica>
  readonly store: Store
  readonly bus: Bus
  readonly errors: unknown[]
  close(): Promise<void>
}

export async function startReplicas(
  count: number,
  options: Partial<ClusterOptions> & { readonly http?: HttpOptions } = {},
): Promise<TestCluster> {
  const store = options.store ?? createMemoryStore()
  const bus = options.bus ?? createMemoryBus()
  const errors: unknown[] = []
  const replicas: TestReplica[] = []
  const add: TestCluster['add'] = async ({ http: own, ...more } = {}) => {
    const { http: common, ...cluster } = options
    const replica = await startReplica(
      { store, bus, drainMs: 1, onError: (error) => errors.push(error), ...cluster, ...more },
      { ...common, ...own },
    )
    replicas.push(replica)
    return replica
  }
  for (let at = 0; at < count; at++) await add()
  return {
    replicas,
    add,
    store,
    bus,
    errors,
    close: async () => void (await Promise.all(replicas.map((one) => one.close()))),
  }
}

/** A store that one replica sees, and that can be away for it alone. */
function cuttable(store: Store): { readonly store: Store; cut(away: boolean): void } {
  let isAway = false
  const seen = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) =>
        isAway
          ? Promise.reject(new PorticoError('store-unavailable', 'The store is away'))
          : Reflect.apply(member, target, given)
    },
  })
  return {
    store: seen,
    cut: (away) => {
      isAway = away
    },
  }
}

async function startReplica(options: ClusterOptions, own: HttpOptions): Promise<TestReplica> {
  const { store, cut } = cuttable(options.store)
  const cluster = await createCluster({ ...options, store })
  const runs: string[] = []
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = createServer({
    name: 'replicated',
    version: '1.0.0',
    ...cluster.server,
    onError: () => undefined,
    tools: {
      where: tool({ description: 'Which replica runs this' }, () => {
        runs.push('where')
        return cluster.replica
      }),
      slow: tool({ description: 'Reports progress, then waits' }, async (_input: object, ctx) => {
        runs.push('slow')
        await ctx.progress(1, 2, 'begun')
        await held
        return cluster.replica
      }),
      ask: tool({ description: 'Asks who it is' }, async (_input: object, ctx) => {
        runs.push('ask')
        const answer = await ctx.elicit('name', {
          message: 'Who?',
          form: { type: 'object', properties: { name: { type: 'string' } } },
        })
        return JSON.stringify(answer)
      }),
    },
    resources: { note: resource({ uri: 'note:///one' }, () => 'text') },
  })
  await cluster.shareChanges(server)
  const authenticate: HttpOptions['authenticate'] = (head) => {
    const user = head.header('x-user')
    return user === undefined ? undefined : createPrincipal(user)
  }
  const http = await serveHttp(server, { port: 0, graceMs: 200, authenticate, ...own, sharing: cluster.sharing })
  let closed: Promise<void> | undefined
  return {
    cluster,
    server,
    http,
    release,
    runs,
    cut,
    close: () => {
      release()
      closed ??= http.close().then(() => cluster.close())
      return closed
    },
    crash: async () => {
      closed = Promise.resolve()
      cut(true)
      http.node.closeAllConnections()
      http.node.close()
      await cluster.close()
    },
  }
}
