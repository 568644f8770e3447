/** What was approved is what happens: remembered answers reach as far as what was shown, and no further. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditSink } from '../audit/record.ts'
import { inspectForm } from '../consent/form-inspection.ts'
import { createGrants, type Grants } from '../consent/grants.ts'
import { createInbox, type Inbox } from '../consent/inbox.ts'
import type { Question } from '../consent/question.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { createRules } from '../policy/rules.ts'
import { createGuard } from './create-guard.ts'
import type { OpenGuard } from './guard.ts'

let inbox: Inbox
let grants: Grants
let guard: OpenGuard
let asked: Question[]
const audit: AuditSink = { append: async (entry) => ({ ...entry, sequence: 0, previous: '', hash: '' }) }
const about: Circumstances = { session: 's', unattended: false, tainted: false, at: Date.now() }
const call = (args: { [name: string]: string | { [name: string]: string } } = {}): Effect & { kind: 'call' } => ({
  kind: 'call',
  server: 'git',
  tool: 'push',
  arguments: args,
  trusted: false,
})

beforeEach(async () => {
  inbox = await createInbox()
  grants = await createGrants()
  guard = createGuard({ rules: createRules([]), inbox, grants, audit, onWarning: () => {} })
  asked = []
  inbox.on((event) => event.type === 'asked' && asked.push(event.question))
})
afterEach(async () => {
  guard.close()
  await inbox.close()
})

type Sample = Effect & { kind: 'sample' }
const sample = (more: Partial<Sample>): Sample => ({
  kind: 'sample',
  server: 'b',
  background: false,
  maxTokens: 100,
  ...more,
})

describe('a yes to sampling covers no more than was shown (host 4, sec-203)', () => {
  const cases: [string, Sample, Sample, boolean][] = [
    ['the same', sample({}), sample({}), true],
    ['fewer tokens', sample({}), sample({ maxTokens: 50 }), true],
    ['more tokens', sample({}), sample({ maxTokens: 101 }), false],
    ["other servers' words", sample({}), sample({ includeContext: 'allServers' }), false],
    ['its own words', sample({}), sample({ includeContext: 'thisServer' }), false],
    ['all after its own', sample({ includeContext: 'thisServer' }), sample({ includeContext: 'allServers' }), false],
    ['own after all', sample({ includeContext: 'allServers' }), sample({ includeContext: 'thisServer' }), true],
    ['none after all', sample({ includeContext: 'allServers' }), sample({}), true],
    ['a word nobody knows', sample({ includeContext: 'allServers' }), sample({ includeContext: 'everything' }), false],
    ['in the background', sample({}), sample({ background: true }), false],
  ]
  it.each(cases)('%s', async (_, approved, tried, covered) => {
    for (const breadth of ['item', 'arguments'] as const) {
      const store = await createGrants()
      await store.remember(approved, { action: 'allow', remember: 'session', breadth }, about)
      const isSame = JSON.stringify(approved) === JSON.stringify(tried)
      expect(store.peek(tried, about) !== undefined).toBe(breadth === 'item' ? covered : isSame)
    }
  })

  it.each(['thisServer', 'allServers'])('not even for the whole server: %s', async (includeContext) => {
    await grants.remember(sample({}), { action: 'allow', remember: 'always', breadth: 'server' }, about)
    expect(grants.peek(sample({ maxTokens: 9_000 }), about)).toBeDefined()
    expect(grants.peek(sample({ includeContext }), about)).toBeUndefined()
  })

  it('and a no holds whatever goes along', async () => {
    await grants.remember(sample({}), { action: 'deny', remember: 'always' }, about)
    expect(grants.peek(sample({ includeContext: 'allServers', maxTokens: 1 }), about)?.action).toBe('deny')
  })
})

describe('while a question waits', () => {
  it('the arguments are those that are shown, whatever the caller does with its own (host 36, sec-204)', async () => {
    const args = { options: { path: '/safe' } }
    const passing = guard.pass(call(args), about)
    await expect.poll(() => asked.length).toBe(1)
    args.options.path = '/etc/shadow'
    inbox.answer(asked[0]?.id ?? '', { action: 'allow' })
    const { effect } = await passing
    expect(effect.arguments).toEqual({ options: { path: '/safe' } })
    expect(() => Object.assign(effect.arguments.options as object, { path: '/x' })).toThrow(TypeError)
  })

  it('edited arguments are a copy, too (host 36)', async () => {
    const content = { options: { path: '/edited' } }
    const passing = guard.pass(call(), about)
    await expect.poll(() => asked.length).toBe(1)
    inbox.answer(asked[0]?.id ?? '', { action: 'allow', content })
    content.options.path = '/etc/shadow'
    expect((await passing).effect.arguments).toEqual({ options: { path: '/edited' } })
  })

  it.each(['allow', 'deny'] as const)('a remembered %s settles the others that it covers (host 28)', async (action) => {
    const five = Array.from({ length: 5 }, (_, at) =>
      guard.pass(call({ at: String(at) }), about).then(
        () => 'allow',
        () => 'deny',
      ),
    )
    const other = guard.pass({ ...call(), tool: 'other' }, about).catch(() => 'closed')
    await expect.poll(() => asked.length).toBe(6)
    inbox.answer(asked[2]?.id ?? '', { action, remember: 'session' })
    expect(await Promise.all(five)).toEqual(Array(5).fill(action))
    expect(inbox.pending().map(({ body }) => body.kind === 'approval' && body.effect)).toMatchObject([
      { tool: 'other' },
    ])
    await inbox.close()
    expect(await other).toBe('closed')
  })
})

it('the warnings of an effect go with a question that somebody else has written (host 37, sec-93)', async () => {
  const effect = { kind: 'connect', server: 'a', shown: 'x', fingerprint: 'f', local: true } as const
  const question = { kind: 'approval', effect, reason: 'new', warnings: ['own'] } as const
  const passing = guard.pass(effect, about, { question })
  await expect.poll(() => asked.length).toBe(1)
  inbox.answer(asked[0]?.id ?? '', { action: 'allow' })
  await passing
  expect(asked[0]?.body).toMatchObject({ warnings: [expect.stringMatching(/your own rights/), 'own'] })
})

describe('a form that asks for a secret has a warning (host 22, sec-101)', () => {
  const field = (name: string, more = {}) => ({ type: 'object', properties: { [name]: { type: 'string', ...more } } })
  it.each([
    ['name', field('password')],
    ['camel case', field('userPin')],
    ['dashes', field('api-key')],
    ['title', field('x', { title: 'Your passphrase' })],
    ['description', field('x', { description: 'the credit card number' })],
    ['format', field('x', { format: 'password' })],
    ['write only', field('x', { writeOnly: true })],
    ['another language', field('x', { title: 'Пароль' })],
  ])('by its %s', (_, schema) => {
    expect(inspectForm('Please fill in', schema)).toHaveLength(1)
  })

  it.each([
    ['Enter your password below', field('x')],
    ['Dein Kennwort, bitte', field('text')],
  ])('by the message: %s', (message, schema) => {
    expect(inspectForm(message, schema)).toHaveLength(1)
  })

  it.each(['name', 'pinned', 'email', 'shipping', 'tokenizer', 'description'])('and %s has none', (name) => {
    expect(inspectForm('Please fill in', field(name))).toEqual([])
  })
})
