/** A yes to the reading of a trusted server in a conversation with untrusted text: what follows from it, and what does not. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AuditLog, openAuditLog } from '../audit/log.ts'
import { createGrants } from '../consent/grants.ts'
import { createInbox, type Inbox } from '../consent/inbox.ts'
import type { Answer, Question } from '../consent/question.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { createRules } from '../policy/rules.ts'
import { createGuard, type GuardOptions } from './create-guard.ts'
import type { OpenGuard } from './guard.ts'
import { createProvenance } from './provenance.ts'

type Call = Effect & { kind: 'call' }
const CANARY = 'Zx81-Canary-4417-Q'
let folder: string
let log: AuditLog
let inbox: Inbox
let asked: Question[]
let makeGuard: (rules?: readonly object[], more?: Partial<GuardOptions>) => OpenGuard
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-reading-'))
  log = await openAuditLog({ file: join(folder, 'audit.jsonl') })
  inbox = await createInbox()
  const grants = await createGrants()
  asked = []
  makeGuard = (rules = [], more = {}) =>
    createGuard({ rules: createRules(rules), inbox, grants, audit: log, onWarning: () => {}, ...more })
})
afterEach(async () => {
  await log.close()
  await inbox.close()
  await rm(folder, { recursive: true, force: true })
})

/** A person who gives these answers, one after the other. */
function person(...answers: readonly Answer[]): void {
  inbox.on((event) => {
    if (event.type !== 'asked') return
    asked.push(event.question)
    const answer = answers[asked.length - 1]
    if (answer !== undefined) inbox.answer(event.question.id, answer)
  })
}

describe('newcomer B14, sec-293: reading of a trusted server, once untrusted text was read', () => {
  const reading = (more: Partial<Call> = {}): Call => ({
    kind: 'call',
    server: 'git',
    tool: 'search',
    arguments: { branch: 'x' },
    trusted: true,
    annotations: { readOnlyHint: true },
    ...more,
  })
  const tainted = (more: Partial<Circumstances> = {}): Circumstances => ({
    session: 's',
    unattended: false,
    tainted: true,
    at: Date.now(),
    ...more,
  })

  it('asks once in a conversation, whatever it reads, and says so in the question', async () => {
    const guard = makeGuard()
    person({ action: 'allow' })
    await guard.pass(reading(), tainted())
    await guard.pass(reading({ arguments: { branch: 'y' } }), tainted())
    await guard.pass(reading({ tool: 'log' }), tainted())
    expect(asked).toHaveLength(1)
    expect(asked[0]?.body).toMatchObject({
      reason: expect.stringContaining('a yes counts for all that it only reads'),
    })
  })

  it.each<[string, Partial<Call>, Partial<Circumstances>]>([
    ['a tool that writes', { annotations: {} }, {}],
    ['a tool that says it reaches out', { annotations: { readOnlyHint: true, openWorldHint: true } }, {}],
    ['a server that is not trusted', { trusted: false }, {}],
    ['another server', { server: 'web' }, {}],
    ['another conversation', {}, { session: 'other' }],
    ['another user', {}, { principal: { id: 'eve', scopes: [] } as never }],
  ])('asks for %s all the same', async (_name, effect, more) => {
    const guard = makeGuard()
    person({ action: 'allow' }, { action: 'allow' })
    await guard.pass(reading(), tainted())
    await guard.pass(reading(effect), tainted(more))
    expect(asked).toHaveLength(2)
  })

  it('asks each time where a rule says so, after a no, and after the conversation has ended', async () => {
    const ruled = makeGuard([{ id: 'look', outcome: 'ask', effect: 'call' }])
    person({ action: 'allow' }, { action: 'allow' }, { action: 'deny' }, { action: 'allow' }, { action: 'allow' })
    await ruled.pass(reading(), tainted())
    await ruled.pass(reading(), tainted())
    expect(asked).toHaveLength(2)
    const guard = makeGuard()
    await expect(guard.pass(reading(), tainted())).rejects.toMatchObject({ code: 'denied' })
    await guard.pass(reading(), tainted())
    guard.endSession('s')
    await guard.pass(reading(), tainted())
    expect(asked).toHaveLength(5)
  })

  it('is refused where nobody is there, however often it was allowed before', async () => {
    const guard = makeGuard()
    person({ action: 'allow' })
    await guard.pass(reading(), tainted())
    await expect(guard.pass(reading(), tainted({ unattended: true }))).rejects.toMatchObject({ code: 'denied' })
  })

  it('still asks before data of another server goes along', async () => {
    const context = createProvenance()
    const guard = makeGuard([], { flow: () => context, flowScope: 'arguments' })
    const secret = { content: [{ type: 'text' as const, text: `the code is ${CANARY}.` }] }
    await guard.review(reading({ server: 'mail', tool: 'inbox' }), secret, tainted())
    person({ action: 'allow' }, { action: 'deny' })
    await guard.pass(reading({ arguments: { query: 'tea' } }), tainted())
    const before = asked.length
    await expect(guard.pass(reading({ arguments: { query: CANARY } }), tainted())).rejects.toMatchObject({
      code: 'denied',
    })
    expect(asked.length).toBe(before + 1)
    expect(asked.at(-1)?.body).toMatchObject({ effect: { kind: 'flow' } })
  })
})
