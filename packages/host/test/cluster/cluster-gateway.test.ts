/** Calls that wait at one replica of a gateway for their client's answers, taken up by way of another. */

import { type Cluster, createCluster } from '@portico/host/cluster'
import { createPrincipal, createServer, type Server, tool } from '@portico/sdk/server'
import { createMemoryBus, createMemoryStore } from '@portico/sdk/state'
import { afterEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/gateway/gateway.ts'
import { serveGateway } from '../../src/gateway/serve.ts'
import { createLab } from '../gateway-lab.ts'
import { closeAll, closers, raw, type Site, textOf } from '../gateway-site.ts'

afterEach(closeAll)

type ReplicaSite = Site & { readonly cluster: Cluster }

const runs: string[] = []
/** A busy machine takes its time. */
const LONG = { timeout: 20_000 }

function createAsking(): Server {
  return createServer({
    name: 'asking',
    version: '1',
    versions: ['2025-11-25'],
    tools: {
      confirm: tool({}, async (_args, ctx) => {
        runs.push('begun')
        const form = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const
        const answer = await ctx.elicit({ message: 'Sure?', form })
        runs.push('done')
        return `${answer.action} ${JSON.stringify(answer.content)}`
      }),
      ponder: tool({}, async (_args, ctx) => {
        const form = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const
        await ctx.elicit({ message: 'Sure?', form })
        runs.push('ponders')
        await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', reject, { once: true }))
        return 'never'
      }),
    },
  })
}

async function startSites(): Promise<readonly [ReplicaSite, ReplicaSite]> {
  runs.length = 0
  const [store, bus, target] = [createMemoryStore(), createMemoryBus(), createAsking()]
  const start = async (): Promise<ReplicaSite> => {
    const lab = await createLab({ asking: { target } }, {})
    const cluster = await createCluster({ store, bus, drainMs: 1, onError: () => undefined })
    const { replica, server, sharing } = cluster
    const gateway = createGateway(lab, { onError: () => {}, replica, server })
    const http = await serveGateway(gateway, {
      port: 0,
      graceMs: 0,
      sharing,
      authenticate: (head) => {
        const user = /^Bearer (.+)$/.exec(head.header('authorization') ?? '')?.[1]
        return user === undefined ? undefined : createPrincipal(user)
      },
    })
    closers.push(
      () => lab.close(),
      () => gateway.close(0),
      () => cluster.close(),
      () => http.close(),
    )
    return { lab, gateway, http, cluster, connect: () => Promise.reject(new Error('not used')) }
  }
  return [await start(), await start()]
}

const call = { name: 'confirm', arguments: {} }

interface Asked {
  readonly requestState: string
  readonly inputRequests: object
}

const answered = ({ requestState, inputRequests }: Asked) => ({
  ...call,
  requestState,
  inputResponses: { [Object.keys(inputRequests)[0] ?? '']: { action: 'accept', content: { yes: true } } },
})

describe('a call that waits at one replica of a gateway', () => {
  it('is taken up by way of another replica, and answered once however often it is asked for', async () => {
    const [one, other] = await startSites()
    const first = await raw(one, 'tools/call', call)
    expect(first.result.resultType).toBe('input_required')
    expect(one.gateway.metrics().parked).toBe(1)
    const retries = await Promise.all(
      [other, one, other].map((site) => raw(site, 'tools/call', answered(first.result))),
    )
    for (const { result } of retries) expect(textOf(result)).toBe('accept {"yes":true}')
    expect(runs).toEqual(['begun', 'done'])
    expect([one, other].map(({ gateway }) => gateway.metrics().parked)).toEqual([0, 0])
  })

  it('is taken up by a retry that comes to another replica alone', async () => {
    const [one, other] = await startSites()
    const first = await raw(one, 'tools/call', call)
    expect(first.result.requestState).toMatch(new RegExp(`\\.${one.cluster.replica}$`))
    const { result } = await raw(other, 'tools/call', answered(first.result))
    expect(textOf(result)).toBe('accept {"yes":true}')
    expect(runs).toEqual(['begun', 'done'])
  })

  it('sec-438: is not taken up for another principal, whichever replica is named in the state', async () => {
    const [one, other] = await startSites()
    const first = await raw(one, 'tools/call', call)
    const stolen = await raw(other, 'tools/call', answered(first.result), { user: 'eve' })
    expect(stolen.error).toMatchObject({ code: -32602, data: { parameter: 'requestState' } })
    const renamed = {
      ...first.result,
      requestState: `${first.result.requestState.split('.')[0]}.${other.cluster.replica}`,
    }
    const misled = await raw(one, 'tools/call', answered(renamed))
    expect(misled.error).toMatchObject({ code: -32602, data: { parameter: 'requestState' } })
    expect(runs).toEqual(['begun'])
  })

  it.each([['x.nobody'], ['.a'], [`${'y'.repeat(200)}.0123456789abcdef`]])(
    'is not looked for without end where the state names a replica that never was: %s (sec-540)',
    async (requestState) => {
      const [one, other] = await startSites()
      for (const site of [one, other]) {
        const answer = await raw(site, 'tools/call', { ...call, requestState, inputResponses: {} })
        expect(answer.error).toMatchObject({ code: -32602, data: { parameter: 'requestState' } })
      }
      expect(runs).toEqual([])
    },
  )

  it('says so where its replica has ended, and does not begin it again', async () => {
    const [one, other] = await startSites()
    const first = await raw(one, 'tools/call', call)
    await one.http.close()
    await one.cluster.close()
    const late = await raw(other, 'tools/call', answered(first.result))
    expect(late.error).toMatchObject({ code: -32602, data: { parameter: 'requestState' } })
    expect(late.error.message).toContain('may have happened')
    expect(runs).toEqual(['begun'])
  })

  it.each([
    ['the replica that holds it', 0],
    ['another replica', 1],
  ])(
    'ends with an error that says that it may have happened when its replica stops while %s is asked (sec-539)',
    async (_, at) => {
      const sites = await startSites()
      const [one] = sites
      const first = await raw(one, 'tools/call', { ...call, name: 'ponder' })
      const retry = raw(sites[at] ?? one, 'tools/call', { ...answered(first.result), name: 'ponder' })
      const ended = retry.then(
        (answer) => answer,
        (error: unknown) => error,
      )
      await expect.poll(() => runs, LONG).toEqual(['ponders'])
      await Promise.all([one.gateway.close(0), one.http.close()])
      await one.cluster.close()
      const answer = await ended
      // Whoever asked the replica itself may find the connection closed, which its client tells as unknown.
      if (!(answer instanceof Error))
        expect(JSON.stringify(answer)).toMatch(/"delivery":"unknown"|may have happened|isError/)
      expect([at, answer instanceof Error]).not.toEqual([1, true])
      expect(runs).toEqual(['ponders'])
    },
  )
})
