/** Functions that a program gives to the host and the gateway: one of the wrong form opens nothing and ends nothing. */

import type { Authorizer } from '@portico/sdk/bearer'
import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import { callListener } from '../src/config/call-listener.ts'
import { createGrants } from '../src/consent/grants.ts'
import { createInbox } from '../src/consent/inbox.ts'
import type { GatewayOptions } from '../src/gateway/gateway.ts'
import { checkedFilter } from '../src/model/safety.ts'
import { enforcePolicy, visibleBy } from '../src/policy/server-policy.ts'
import { Listeners } from '../src/upstream/connection/listeners.ts'
import { createFeatureServer } from './gateway-lab.ts'
import { closeAll, createSite } from './gateway-site.ts'

afterEach(closeAll)

const rejected = () => Promise.reject(new Error('late'))

/** What is left unhandled while something runs, and the warnings. */
async function watched(run: () => unknown): Promise<{ unhandled: unknown[]; warnings: string[] }> {
  const unhandled: unknown[] = []
  const warnings: string[] = []
  const seen = (error: unknown) => unhandled.push(error)
  const warned = ({ message }: Error) => warnings.push(message)
  const before = process.rawListeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', seen).on('warning', warned)
  try {
    await run()
    // Both events come after the microtasks of the turn that caused them.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', seen).off('warning', warned)
    for (const one of before) process.on('unhandledRejection', one as (error: unknown) => void)
  }
  return { unhandled, warnings }
}

describe('attack 3: sec-248: what decides is understood, or nothing is shown', () => {
  const wrong: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['a promise', async () => ({ servers: ['one'] }), /promise/],
    ['a rejected promise', rejected, /promise/],
    ['a list', () => ['one'], /a list/],
    ['a Map', () => new Map([['servers', ['one']]]), /plain object/],
    ['null', () => null, /plain object/],
    ['true', () => true, /plain object/],
    ['a function', () => () => ({}), /plain object/],
    ['a misspelled member', () => ({ server: ['one'] }), /"server"/],
    ['a member beside good ones', () => ({ servers: ['one'], hide: ['one_echo'] }), /"hide"/],
    ['a text for a list', () => ({ hidden: 'one_echo' }), /"hidden"/],
    ['a list that did not come', () => ({ servers: undefined }), /"servers"/],
    ['a list of numbers', () => ({ items: [1] }), /"items"/],
    ['search that is no boolean', () => ({ search: 'no' }), /"search"/],
  ]

  test.each(wrong)('views that return %s hide everything, reported once', async (_, views, words) => {
    const reports: { error: unknown; where: string }[] = []
    const { unhandled } = await watched(async () => {
      const site = await createSite(
        { one: { target: createFeatureServer() }, two: { target: createFeatureServer() } },
        {
          views: views as GatewayOptions['views'],
          onError: (error, { where }) => reports.push({ error, where }),
        } as GatewayOptions,
      )
      const client = await site.connect('ada')
      expect(await client.listTools()).toEqual([])
      expect(await client.listResources()).toEqual([])
      expect(await client.listPrompts()).toEqual([])
      await expect(client.callTool('one_echo', { text: 'x' })).rejects.toMatchObject({ rpcCode: -32602 })
      await expect(client.readResource('note://today')).rejects.toThrow()
    })
    expect(unhandled).toEqual([])
    const told = reports.filter(({ error }) => String(error).includes('nothing is shown'))
    expect(told).toHaveLength(1)
    expect(told[0]?.where).toBe('views')
    expect(String(told[0]?.error)).toMatch(words)
    expect(String(told[0]?.error)).toContain('return { servers, items, hidden, search }')
  })

  test.each([
    ['a promise', async () => true],
    ['a rejected promise', rejected],
    ['a text', () => 'yes'],
  ])('personal that returns %s counts as no, reported once', async (_, personal) => {
    const reports: string[] = []
    const { unhandled } = await watched(async () => {
      const options = { personal, onError: (error: unknown) => reports.push(String(error)) }
      const site = await createSite({ one: { target: createFeatureServer() } }, options as unknown as GatewayOptions)
      const client = await site.connect('ada')
      expect((await client.listTools()).map(({ name }) => name)).toContain('echo')
      await client.callTool('echo', { text: 'x' })
    })
    expect(unhandled).toEqual([])
    expect(reports.filter((text) => text.includes('personal returned'))).toHaveLength(1)
  })

  test.each([
    ['a promise', async () => ({ allowed: true })],
    ['a rejected promise', rejected],
    ['a promise inside', () => ({ allowed: Promise.resolve(false) })],
    ['a text', () => ({ allowed: 'no' })],
    ['nothing', () => undefined],
  ])('an authorizer that returns %s allows nothing', async (_, authorize) => {
    const authorizer = { authorize } as unknown as Authorizer
    const { unhandled } = await watched(async () => {
      expect(visibleBy(authorizer)(undefined, { kind: 'tool', name: 'echo' })).toBe(false)
      const server = createServer({ name: 'x', version: '1', onError: () => {}, tools: { echo: tool({}, () => 'x') } })
      enforcePolicy(server, authorizer)
      const client = await connect(server)
      await expect(client.callTool('echo')).rejects.toMatchObject({ rpcCode: -32602 })
      await client.close()
    })
    expect(unhandled).toEqual([])
  })

  test('facts that come as a promise let no use pass', async () => {
    const authorizer = { authorize: () => ({ allowed: true }) } as unknown as Authorizer
    const server = createServer({ name: 'x', version: '1', onError: () => {}, tools: { echo: tool({}, () => 'x') } })
    enforcePolicy(server, authorizer, { environment: (async () => ({})) as never })
    const client = await connect(server)
    await expect(client.callTool('echo')).rejects.toThrow()
    await client.close()
  })

  test('a sampling filter that returns a promise lets nothing pass', async () => {
    const { unhandled } = await watched(() => {
      for (const filter of [rejected, async () => 'x', () => undefined]) {
        expect(() => checkedFilter(filter as never)('text', 'input', 'one')).toThrow(/return a text/)
      }
    })
    expect(unhandled).toEqual([])
  })
})

describe('attack 7: sec-251: a listener that fails ends nothing', () => {
  const QUESTION = { server: 'one', session: 's', body: { kind: 'form', message: 'm', schema: {} } }
  const ways: readonly (readonly [string, (fails: () => never) => unknown])[] = [
    ['callListener', (fails) => callListener(fails)],
    [
      'upstreams.on, catalogue.on and host.on',
      (fails) => {
        const listeners = new Listeners<{ change: number }>({ change: true })
        listeners.on('change', fails)
        let heard = 0
        listeners.on('change', (value) => {
          heard = value
        })
        listeners.emit('change', 3)
        expect(heard).toBe(3)
      },
    ],
    [
      'inbox.on and onWaiting',
      async (fails) => {
        const inbox = await createInbox()
        inbox.on(fails)
        const asked = inbox.ask(QUESTION as never, { onWaiting: fails }).catch(() => {})
        const [question] = inbox.pending()
        inbox.withdraw(question?.id ?? '', 'over')
        await asked
        await inbox.close()
      },
    ],
    [
      'grants.on',
      async (fails) => {
        const grants = await createGrants({})
        let told = 0
        grants.on(() => {
          told++
          return fails()
        })
        const effect = { kind: 'read', server: 'one', uri: 'x://y' } as const
        grants.keepOnce(effect, { action: 'allow' }, {
          session: 's',
          unattended: false,
          tainted: false,
          at: 0,
        } as never)
        expect(told).toBe(1)
        grants.close()
      },
    ],
    [
      'onError of the gateway',
      async (fails) => {
        const site = await createSite(
          { one: { target: createFeatureServer() } },
          { views: () => [] as never, onError: fails },
        )
        expect(await (await site.connect('ada')).listTools()).toEqual([])
      },
    ],
  ]

  describe.each(ways)('%s', (_, use) => {
    test.each([
      ['throws', (): never => throwing()],
      ['rejects', rejected as () => never],
    ])('when it %s', async (_how, fails) => {
      const { unhandled } = await watched(() => use(fails))
      expect(unhandled).toEqual([])
    })
  })

  test('what failed is written down', async () => {
    const { warnings } = await watched(() => callListener(rejected))
    expect(warnings.join()).toContain('A listener failed: Error: late')
  })
})

function throwing(): never {
  throw new Error('now')
}

test('a failure is reported with the reference that the caller was told', async () => {
  const reports: { error: unknown; reference: string | undefined }[] = []
  const onError: GatewayOptions['onError'] = (error, { reference }) => reports.push({ error, reference })
  const site = await createSite({ one: { target: createFeatureServer() } }, { onError })
  site.gateway.server.use('tools/list', () => {
    throw new Error('a secret of ours')
  })
  const client = await site.connect('ada')
  const shown = await client.listTools().catch(String)
  expect(shown).not.toContain('secret')
  const [reference] = /(?<=Reference: )[\w-]+/.exec(String(shown)) ?? []
  expect(reports).toContainEqual({ error: new Error('a secret of ours'), reference })
  expect(reference).toBeDefined()
})
