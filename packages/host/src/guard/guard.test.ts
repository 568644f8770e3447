/** The one decision point with real rules, inbox, grants and log: what happens, what is asked, what is written down. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AuditLog, openAuditLog } from '../audit/log.ts'
import type { AuditRecord, AuditSink } from '../audit/record.ts'
import { searchAudit } from '../audit/search.ts'
import { verifyAuditLog } from '../audit/verify.ts'
import { createGrants, type Grants } from '../consent/grants.ts'
import { createInbox, type Inbox } from '../consent/inbox.ts'
import type { Answer, Question } from '../consent/question.ts'
import { DEFAULTS } from '../policy/defaults.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { createRules } from '../policy/rules.ts'
import { createGuard, type GuardOptions } from './create-guard.ts'
import type { OpenGuard } from './guard.ts'
import { createProvenance } from './provenance.ts'

let folder: string
let log: AuditLog
let inbox: Inbox
let grants: Grants
let asked: Question[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-guard-'))
  log = await openAuditLog({ file: join(folder, 'audit.jsonl') })
  inbox = await createInbox()
  grants = await createGrants()
  asked = []
})
afterEach(async () => {
  await log.close()
  await inbox.close()
  await rm(folder, { recursive: true, force: true })
})

function guardWith(rules: readonly object[] = [], more: Partial<GuardOptions> = {}): OpenGuard {
  return createGuard({ rules: createRules(rules), inbox, grants, audit: log, onWarning: () => {}, ...more })
}

/** A person who gives these answers, one after the other. */
function person(...answers: readonly Answer[]): void {
  const left = [...answers]
  inbox.on((event) => {
    if (event.type !== 'asked') return
    asked.push(event.question)
    const answer = left.shift()
    if (answer !== undefined) inbox.answer(event.question.id, answer)
  })
}

async function written(): Promise<AuditRecord[]> {
  const records: AuditRecord[] = []
  for await (const record of searchAudit(log.file)) records.push(record)
  return records
}

function call(more: Partial<Effect & { kind: 'call' }> = {}): Effect & { kind: 'call' } {
  return { kind: 'call', server: 'git', tool: 'push', arguments: { branch: 'x' }, trusted: false, ...more }
}

function about(more: Partial<Circumstances> = {}): Circumstances {
  return { session: 's', unattended: false, tainted: false, at: Date.now(), traceId: 'trace', ...more }
}

describe('passing', () => {
  it.each([
    ['no rule speaks', [], true],
    ['a rule asks', [{ id: 'look', outcome: 'ask', effect: 'call' }], undefined],
    [
      'a rule asks in the words of the default',
      [{ id: 'x', outcome: 'ask', because: DEFAULTS.call.reason }],
      undefined,
    ],
  ] as const)('a question says whether it is asked by default: %s (house 15)', async (_, rules, byDefault) => {
    person({ action: 'allow', by: 'terminal' })
    const permit = await guardWith([...rules]).pass(call(), about())
    permit.finish('ok')
    expect(asked.map(({ body }) => body.kind === 'approval' && body.byDefault)).toEqual([byDefault])
  })

  it('sec-115, sec-127, sec-161: asks with inputs and reason, and writes down who decided what', async () => {
    person({ action: 'allow', by: 'terminal' })
    const permit = await guardWith().pass(call(), about())
    permit.finish('ok')
    permit.finish('error')
    expect(asked).toMatchObject([{ server: 'git', body: { kind: 'approval', effect: call() } }])
    await log.close()
    const [decision, outcome, ...rest] = await written()
    expect(decision).toMatchObject({ type: 'decision', what: 'call', item: 'push', outcome: 'allow', traceId: 'trace' })
    expect(decision?.detail).toMatchObject({ by: 'person', says: 'ask', surface: 'terminal' })
    expect(outcome).toMatchObject({ type: 'outcome', outcome: 'ok', ref: decision?.ref })
    expect([rest, JSON.stringify([decision, outcome]).includes('"x"')]).toEqual([[], false])
    expect((await verifyAuditLog(log.file)).ok).toBe(true)
  })

  it.each<[string, readonly object[], readonly Answer[], Partial<Circumstances>, string]>([
    ['a rule says no', [{ id: 'no', outcome: 'deny' }], [], {}, 'rule'],
    ['a person says no', [], [{ action: 'deny' }], {}, 'person'],
    ['a person cancels', [], [{ action: 'cancel' }], {}, 'person'],
    ['nobody is there', [], [], { unattended: true }, 'nobody'],
  ])('rejects with a reason where %s, and writes it down', async (_, rules, answers, more, by) => {
    person(...answers)
    await expect(guardWith(rules).pass(call(), about(more))).rejects.toMatchObject({ code: 'denied', data: { by } })
    expect(await written()).toMatchObject([{ type: 'decision', outcome: 'deny', detail: { by } }])
  })

  it('asks once, and remembers yes and no', async () => {
    person({ action: 'allow', remember: 'session' }, { action: 'deny', remember: 'always' })
    const guard = guardWith()
    for (let round = 0; round < 3; round++) (await guard.pass(call(), about())).finish('ok')
    for (let round = 0; round < 3; round++) {
      await expect(guard.pass(call({ tool: 'rm' }), about())).rejects.toMatchObject({ code: 'denied' })
    }
    expect(asked).toHaveLength(2)
    // Nobody there, but somebody has said yes before.
    await guard.pass(call(), about({ unattended: true }))
  })

  it('a remembered yes never stands against a rule, a remembered no stands against all', async () => {
    await grants.remember(call(), { action: 'allow', remember: 'always', breadth: 'server' }, about())
    await expect(guardWith([{ id: 'no', outcome: 'deny' }]).pass(call(), about())).rejects.toThrow(/rule "no"/)
    await grants.remember(call(), { action: 'deny', remember: 'always' }, about())
    await expect(guardWith([{ id: 'yes', outcome: 'allow' }]).pass(call(), about())).rejects.toMatchObject({
      data: { by: 'grant' },
    })
  })

  it('a changed definition asks again', async () => {
    let fingerprint = 'one'
    person({ action: 'allow', remember: 'always' }, { action: 'allow' })
    const guard = guardWith([], { fingerprint: () => fingerprint })
    await guard.pass(call(), about())
    await guard.pass(call(), about())
    fingerprint = 'two'
    await guard.pass(call(), about())
    expect(asked).toHaveLength(2)
  })

  it('another question may take the place of the plain one, and its answer comes with the permit', async () => {
    const question = { kind: 'sampling', request: { messages: [] }, models: ['m'] } as const
    person({ action: 'allow', model: 'm', content: { messages: [1] } })
    const effect: Effect = { kind: 'sample', server: 'git', background: true, maxTokens: 5 }
    const permit = await guardWith().pass(effect, about(), { question })
    expect(asked[0]?.body).toEqual({ ...question, warnings: [expect.stringMatching(/outside of any call/)] })
    expect(permit.answer?.model).toBe('m')
  })

  it('gives up with the signal', async () => {
    const abort = new AbortController()
    const waiting: (string | undefined)[] = []
    const pass = guardWith().pass(call(), about(), {
      signal: abort.signal,
      onWaiting: (id) => {
        waiting.push(id)
        if (id !== undefined) queueMicrotask(() => abort.abort(new Error('left')))
      },
    })
    await expect(pass).rejects.toThrow('left')
    expect([waiting.length, inbox.pending()]).toEqual([2, []])
    expect(await written()).toMatchObject([{ outcome: 'deny', reason: 'Not decided: left' }])
  })

  it('what is allowed a number of times is not allowed more often by asking at once', async () => {
    const rules = [{ id: 'two', outcome: 'allow', count: { max: 2, per: 'session' } }]
    const guard = guardWith(rules)
    const passes = Array.from({ length: 10 }, () => guard.pass(call(), about({ unattended: true })))
    const settled = await Promise.allSettled(passes)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })
})

describe('edited arguments', () => {
  it('are what is permitted', async () => {
    person({ action: 'allow', content: { branch: 'y' } })
    const permit = await guardWith().pass(call(), about())
    expect([permit.effect.arguments, asked.length]).toEqual([{ branch: 'y' }, 1])
  })

  it('are judged again: an edit does not get past a rule', async () => {
    person({ action: 'allow', content: { branch: 'main' } })
    const rules = [{ id: 'main', outcome: 'deny', arguments: { branch: { equals: 'main' } } }]
    await expect(guardWith(rules).pass(call(), about())).rejects.toMatchObject({ data: { rule: 'main' } })
  })

  it('are asked about again where another rule wants to know, and not without end', async () => {
    const rules = ['a', 'b', 'c', 'd', 'e'].map((branch) => {
      return { id: `about-${branch}`, outcome: 'ask', arguments: { branch: { equals: branch } } }
    })
    person(...['b', 'c', 'd', 'e', 'a', 'b'].map((branch): Answer => ({ action: 'allow', content: { branch } })))
    await expect(guardWith(rules).pass(call({ arguments: { branch: 'a' } }), about())).rejects.toThrow(/too often/)
    expect(asked.length).toBeLessThan(6)
  })

  it('a remembered answer is about what was sent, not what was asked', async () => {
    person({ action: 'allow', content: { branch: 'y' }, remember: 'always', breadth: 'arguments' })
    const guard = guardWith()
    await guard.pass(call(), about())
    await guard.pass(call({ arguments: { branch: 'y' } }), about({ unattended: true }))
    await expect(guard.pass(call(), about({ unattended: true }))).rejects.toMatchObject({ code: 'denied' })
  })
})

describe('the log', () => {
  const full: AuditSink = {
    append: () => Promise.reject(new Error('no space left')),
  }
  it('what cannot be written down does not happen', async () => {
    const guard = guardWith([{ id: 'go', outcome: 'allow' }], { audit: full })
    await expect(guard.pass(call(), about())).rejects.toMatchObject({ code: 'denied' })
  })

  it('unless that is wished', async () => {
    const warnings: string[] = []
    const options = {
      audit: full,
      onAuditFailure: 'continue',
      onWarning: (text: string) => warnings.push(text),
    } as const
    await guardWith([{ id: 'go', outcome: 'allow' }], options).pass(call(), about())
    expect(warnings).toEqual(['no space left'])
  })

  it('holds what watched rules would have said', async () => {
    const rules = [
      { id: 'go', outcome: 'allow' },
      { id: 'trial', outcome: 'deny', shadow: true },
    ]
    await guardWith(rules).pass(call(), about())
    expect((await written())[0]?.detail).toMatchObject({ shadow: { outcome: 'deny', rule: 'trial' } })
  })
})

describe('explaining', () => {
  it.each<[string, readonly object[], Partial<Circumstances>, string]>([
    ['a rule', [{ id: 'no', outcome: 'deny' }], {}, 'deny'],
    ['the default', [], {}, 'ask'],
    ['nobody there', [], { unattended: true }, 'deny'],
  ])('agrees with what happens: %s', async (_, rules, more, outcome) => {
    const explained = await guardWith(rules).explain(call(), about(more))
    expect([explained.outcome, explained.considered.length, asked]).toEqual([outcome, rules.length, []])
    expect(await written()).toEqual([])
  })

  it('knows remembered answers', async () => {
    await grants.remember(call(), { action: 'allow', remember: 'always' }, about())
    const guard = guardWith([{ id: 'else', outcome: 'allow', server: 'mail' }])
    expect(await guard.explain(call(), about())).toMatchObject({
      outcome: 'allow',
      considered: [
        'else (allow): does not match, the server is not "mail"',
        'remembered: May call "push" of "git", always',
      ],
    })
  })
})

describe('results before the model sees them (sec-127)', () => {
  const result = { content: [{ type: 'text' as const, text: 'secret' }] }
  const rules = [{ id: 'look', outcome: 'allow', item: 'push', review: true }]

  it('pass untouched where no rule wants to see them', async () => {
    expect(await guardWith(rules).review(call({ tool: 'log' }), result, about())).toBe(result)
  })

  it.each<[string, Answer, unknown]>([
    ['released', { action: 'allow' }, result],
    [
      'edited',
      { action: 'allow', content: { content: [{ type: 'text', text: 'clean' }] } },
      { content: [{ type: 'text', text: 'clean' }] },
    ],
    ['kept back', { action: 'deny' }, undefined],
    ['edited to nonsense', { action: 'allow', content: { content: 'x' } }, undefined],
  ])('%s', async (_, answer, expected) => {
    person(answer)
    const reviewed = await guardWith(rules)
      .review(call(), result, about())
      .catch((error) => error.code)
    expect(reviewed).toEqual(expected ?? 'denied')
    expect(await written()).toMatchObject([{ what: 'review', rule: 'look' }])
  })

  it('are kept back where nobody is there', async () => {
    const review = guardWith(rules).review(call(), result, about({ unattended: true }))
    await expect(review).rejects.toMatchObject({ code: 'denied' })
  })
})

describe('answers for somebody who is gone', () => {
  it.each<[string, Answer, number]>([
    ['hold one time', { action: 'allow' }, 1],
    ['hold as long as they say', { action: 'allow', remember: 'always' }, 3],
  ])('%s', async (_, answer, times) => {
    const file = join(folder, 'inbox.json')
    const first = await createInbox({ file })
    const shown = new Promise((resolve) => first.on(resolve))
    const lost = guardWith([], { inbox: first }).pass(call(), about())
    lost.catch(() => {})
    await shown
    await first.close()
    inbox = await createInbox({ file })
    const guard = guardWith()
    inbox.answer(inbox.pending()[0]!.id, answer)
    const outcomes = []
    for (let round = 0; round < 3; round++) {
      const pass = guard.pass(call(), about({ unattended: true, session: 'new' }))
      outcomes.push(
        await pass.then(
          () => true,
          () => false,
        ),
      )
    }
    expect(outcomes.filter(Boolean)).toHaveLength(times)
  })
})

describe('data on its way from one server to another', () => {
  const CANARY = 'Zx81-Canary-4417-Q'
  const allow = { id: 'calls', outcome: 'allow', effect: 'call', evenIfTainted: true }

  async function seen(guard: OpenGuard): Promise<void> {
    const result = { content: [{ type: 'text' as const, text: `the code is ${CANARY}.` }] }
    await guard.review(call({ server: 'mail', tool: 'inbox' }), result, about())
  }

  it('sec-161: a secret of A reaches B only by a recorded yes', async () => {
    const context = createProvenance()
    const guard = guardWith([allow], { flow: () => context })
    await seen(guard)
    person({ action: 'deny' }, { action: 'allow', remember: 'session' })
    const leak = call({ arguments: { note: `fyi ${CANARY}` } })
    await expect(guard.pass(leak, about())).rejects.toMatchObject({ code: 'denied' })
    ;(await guard.pass(leak, about())).finish('ok')
    await guard.pass(leak, about())
    expect(asked.map(({ body }) => body)).toMatchObject([
      { kind: 'approval', effect: { kind: 'flow', from: ['mail'], server: 'git', inArguments: true } },
      { kind: 'approval', effect: { kind: 'flow' } },
    ])
    const flows = (await written()).filter(({ what }) => what === 'flow')
    expect(flows.map(({ outcome }) => outcome)).toEqual(['deny', 'allow', 'allow'])
    expect(JSON.stringify(await written())).not.toContain(CANARY)
  })

  it('back to its own server, data goes freely; a turn that has seen it asks, unless a person does it by hand', async () => {
    const context = createProvenance()
    const guard = guardWith([allow], { flow: () => context })
    await guard.pass(call(), about({ unattended: true }))
    await seen(guard)
    await guard.pass(call({ server: 'mail', arguments: { to: CANARY } }), about({ unattended: true }))
    await expect(guard.pass(call(), about({ unattended: true }))).rejects.toMatchObject({ data: { by: 'nobody' } })
    await guard.pass(call(), about({ unattended: true, byHand: true }))
  })

  it('an edit that takes the data out needs no consent for it, one that brings it in does', async () => {
    const context = createProvenance()
    const guard = guardWith([allow], { flow: () => context, flowScope: 'arguments' })
    await seen(guard)
    person({ action: 'allow', content: { note: 'nothing' } })
    const permit = await guard.pass(call({ arguments: { note: CANARY } }), about())
    expect([permit.effect.arguments, asked.length]).toEqual([{ note: 'nothing' }, 1])
  })

  it("newcomer B14: what a model wants warns of others' text only where there is some", async () => {
    const context = createProvenance()
    const guard = guardWith([{ id: 'flows', outcome: 'allow', effect: 'flow' }], { flow: () => context })
    person({ action: 'allow' }, { action: 'allow' })
    await guard.pass(call(), about({ tainted: true }))
    await seen(guard)
    await guard.pass(call(), about({ tainted: true }))
    const warnings = asked.map(({ body }) => ('warnings' in body ? (body.warnings ?? []).join() : ''))
    expect(warnings.map((text) => text.includes('Untrusted text'))).toEqual([false, true])
  })

  it('untrusted text makes risky tools ask again, in spite of "always", unless that was meant', async () => {
    const context = createProvenance()
    const guard = guardWith([{ id: 'flows', outcome: 'allow', effect: 'flow' }], { flow: () => context })
    person({ action: 'allow', remember: 'always' }, { action: 'allow', remember: 'always', evenIfTainted: true })
    await guard.pass(call(), about())
    await guard.pass(call(), about())
    expect(asked).toHaveLength(1)
    await seen(guard)
    await guard.pass(call(), about())
    expect(asked).toHaveLength(2)
    expect(asked[1]?.body).toMatchObject({ warnings: [expect.stringMatching(/Untrusted text/)] })
    await guard.pass(call(), about())
    expect(asked).toHaveLength(2)
  })
})
