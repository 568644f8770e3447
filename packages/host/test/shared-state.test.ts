/** What replicas have in common: sealed at rest, the same for all of them, and known to all at once. */

import { createPrincipal, createServer, tool } from '@portico/sdk/server'
import { tokenStoreContract } from '@portico/sdk/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHost, type Host } from '../src/assembly/host.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { Grant } from '../src/consent/grant.ts'
import { createGrants } from '../src/consent/grants.ts'
import { createInbox } from '../src/consent/inbox.ts'
import type { Circumstances, Effect } from '../src/policy/effect.ts'
import type { SharedState } from '../src/state/shared/shared-state.ts'
import { createSharedPlace, KEY, OTHER_KEY, type SharedPlace } from './shared-lab.ts'

let place: SharedPlace
beforeEach(() => {
  place = createSharedPlace()
})
afterEach(() => place.close())

const rawText = async (): Promise<string> =>
  (await place.raw.list('', { limit: 1000 })).map(({ key, value }) => `${key} ${value}`).join('\n')

describe('what is kept in the shared state (sec-448)', () => {
  it('can neither be read nor recognised without the key', async () => {
    const state = await place.join()
    await state.tokens().set('ann at https://mail.example', 'refresh-token-of-ann')
    await state.text('grants').update(() => 'ann may delete')
    expect(await state.tokens().get('ann at https://mail.example')).toBe('refresh-token-of-ann')
    expect(await rawText()).not.toMatch(/ann|mail|refresh|delete/)
  })

  it.each([
    ['altered', (value: string) => `${value.slice(0, -8)}AAAAAAA=`],
    ['not sealed', () => 'grants'],
    ['sealed under another name', async () => (await place.raw.get('names'))?.value ?? ''],
  ])('is refused when it was %s', async (_, forge) => {
    const state = await place.join()
    await state.text('grants').update(() => 'x')
    const kept = await place.raw.get('text/grants')
    await place.raw.write([{ key: 'text/grants', value: await forge(kept?.value ?? '') }])
    await expect(state.text('grants').get()).rejects.toMatchObject({ code: 'secret-missing' })
  })

  it('opens with every key that is given, and is sealed anew by the first, so that the old one can go', async () => {
    const before = await place.join([KEY])
    await before.text('grants').update(() => 'old')
    await before.tokens().set('ann', 'token')
    const both = await place.join([OTHER_KEY, KEY])
    expect(await both.tokens().get('ann')).toBe('token')
    const after = await place.join([OTHER_KEY])
    expect(await after.text('grants').get()).toBe('old')
    // What lasts for a while only was not sealed anew: its owner signs in again.
    expect(await after.tokens().get('ann')).toBeUndefined()
  })
})

describe('tokens in the shared state', () => {
  for (const { name, run } of tokenStoreContract(async () => [
    (await place.join()).tokens(),
    (await place.join()).tokens(),
  ])) {
    it(name, run)
  }
})

const effect: Effect = { kind: 'call', server: 'mail', tool: 'send', arguments: { to: 'bob' }, trusted: true }
const about: Circumstances = { session: 's', unattended: false, tainted: false, at: 0 }

const ONCE = ['once', 'once', 'once']

describe('an answer that was given at one replica', () => {
  it('is known to the others at once, and so is that it was taken back (sec-449)', async () => {
    const [one, other] = await Promise.all([place.join(), place.join()])
    const open = (state: SharedState) => createGrants({ file: state.text('grants'), follow: true })
    const [first, second] = [await open(one), await open(other)]
    await first.remember(effect, { action: 'deny', remember: 'always' }, about)
    await vi.waitFor(() => expect(second.peek(effect, about)?.action).toBe('deny'))
    await second.revoke(second.list()[0]?.id ?? '')
    await vi.waitFor(() => expect(first.peek(effect, about)).toBeUndefined())
  })

  it('for one time is known to the others, and one of all that use it at once does (sec-538)', async () => {
    const states = await Promise.all([place.join(), place.join(), place.join()])
    const all = await Promise.all(states.map((state) => createGrants({ file: state.text('grants'), follow: true })))
    const at = Date.now()
    for (let turn = 0; turn < 10; turn++) {
      all[turn % 3]?.keepOnce(effect, { action: 'allow' }, { ...about, at })
      await vi.waitFor(() => expect(all.map((one) => one.peek(effect, { ...about, at })?.remember)).toEqual(ONCE))
      const used = await Promise.all(all.map((one) => one.use(one.peek(effect, { ...about, at }) as Grant)))
      expect(used.filter(Boolean), `turn ${turn}`).toHaveLength(1)
      expect(all.map((one) => one.peek(effect, { ...about, at }))).toEqual([undefined, undefined, undefined])
    }
  })

  it('for a session stays where it was given: another process may have a session of that name (sec-538)', async () => {
    const [one, other] = await Promise.all([place.join(), place.join()])
    const open = (state: SharedState) => createGrants({ file: state.text('grants'), follow: true })
    const [first, second] = [await open(one), await open(other)]
    await first.remember(effect, { action: 'allow', remember: 'session' }, about)
    await first.remember(effect, { action: 'deny', remember: 'always' }, { ...about, session: 'later' })
    await vi.waitFor(() => expect(second.list()).toHaveLength(1))
    expect(second.list()[0]).toMatchObject({ action: 'deny', remember: 'always' })
  })

  it('for a session of a caller at a gateway is known to the others, for that caller and for a while', async () => {
    const states = await Promise.all([place.join(), place.join()])
    const open = (state: SharedState) => createGrants({ file: state.text('grants'), follow: true })
    const [first, second] = [await open(states[0]), await open(states[1])]
    const at = Date.now()
    const ofCaller = (id: string) => ({ ...about, at, relayed: true, session: id, principal: createPrincipal(id) })
    const ann = ofCaller('ann')
    await first.remember(effect, { action: 'allow', remember: 'session' }, ann)
    await vi.waitFor(() => expect(second.peek(effect, ann)?.remember).toBe('session'))
    expect(second.peek(effect, ofCaller('ben'))).toBeUndefined()
    expect(second.peek(effect, { ...ann, at: at + 13 * 3_600_000 })).toBeUndefined()
    second.endSession('ann')
    await vi.waitFor(() => expect(first.peek(effect, ann)).toBeUndefined())
  })

  it('answers the question that another replica has asked', async () => {
    const [one, other] = await Promise.all([place.join(), place.join()])
    const open = (state: SharedState) =>
      createInbox({ file: state.text('inbox'), replicas: state.replicas, follow: true })
    const [asking, answering] = [await open(one), await open(other)]
    const body = { kind: 'approval', effect, reason: 'a rule asks' } as const
    const answered = asking.ask({ server: 'mail', session: 's', body } as Parameters<typeof asking.ask>[0])
    await vi.waitFor(() => expect(answering.pending()).toHaveLength(1))
    const [question] = answering.pending()
    expect(question).toMatchObject({ elsewhere: true })
    expect(answering.answer(question?.id ?? '', { action: 'allow' })).toBe('accepted')
    expect(await answered).toMatchObject({ action: 'allow' })
    await asking.close()
    await answering.close()
  })

  it('leaves the questions of a replica that is gone to the next that starts', async () => {
    const [one, other] = [await place.join(), await place.join()]
    const inbox = (state: SharedState) =>
      createInbox({ file: state.text('inbox'), replicas: state.replicas, follow: true })
    const asking = await inbox(one)
    const body = { kind: 'approval', effect, reason: 'a rule asks' } as const
    asking.ask({ server: 'mail', session: 's', body } as Parameters<typeof asking.ask>[0]).catch(() => {})
    const watching = await inbox(other)
    await vi.waitFor(() => expect(watching.pending()).toHaveLength(1))
    await one.replicas.close()
    await vi.waitFor(() => expect(watching.pending()).toHaveLength(0))
    const next = await inbox(await place.join())
    expect(next.pending()).toHaveLength(1)
    for (const open of [asking, watching, next]) await open.close()
  })
})

describe('definitions that replicas have seen', () => {
  let hosts: Host[] = []
  afterEach(async () => {
    for (const host of hosts) await host.close()
    hosts = []
  })

  async function start(description: () => string, state: SharedState): Promise<Host> {
    const make = async () => ({
      server: createServer({
        name: 'a',
        version: '1',
        tools: { say: tool({ description: description(), input: { type: 'object' } }, () => 'ok') },
      }),
    })
    const servers = [defineServer('a', { kind: 'in-process', module: 'a', options: {} })]
    const rules = [{ id: 'all', outcome: 'allow', effect: ['connect', 'call'] }]
    const host = await createHost({ state, inProcess: new Map([['a', make]]), servers, rules })
    hosts.push(host)
    await host.catalogue.gather()
    return host
  }
  const isHeld = (host: Host): boolean => host.catalogue.findOwn('a', 'say', 'tool')?.quarantine !== undefined

  it('are one for all: what the first approved by seeing it holds for the next, and an approval is known to all', async () => {
    const first = await start(() => 'Says', await place.join())
    await vi.waitFor(async () => expect(await rawText()).toContain('pin/'))
    const second = await start(() => 'Says, and sends it away', await place.join())
    expect([isHeld(first), isHeld(second)]).toEqual([false, true])
    const third = await start(() => 'Says, and sends it away', await place.join())
    expect(isHeld(third)).toBe(true)
    third.catalogue.approve('a', 'say')
    await vi.waitFor(() => expect([isHeld(second), isHeld(third)]).toEqual([false, false]))
  })
})

describe('a place that is away', () => {
  it('is a state that is told, and ends by itself', async () => {
    const state = await place.join()
    const heard: boolean[] = []
    state.onAvailable((available) => heard.push(available))
    place.cut()
    await expect(state.text('grants').get()).rejects.toMatchObject({ code: 'store-unavailable' })
    expect(state.availability()).toMatchObject({ available: false, failures: 1 })
    place.mend()
    await vi.waitFor(() => expect(state.availability().available).toBe(true), { timeout: 5_000 })
    expect(heard).toEqual([false, true])
    expect(await state.text('grants').get()).toBeUndefined()
  })
})
