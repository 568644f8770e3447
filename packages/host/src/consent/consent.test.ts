/** Questions and answers: once only, never lost, never mixed up, and never more than a person can bear. */

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrincipal } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { readAnswer } from './answer-text.ts'
import type { Clock } from './clock.ts'
import { describeGrant, type Grant } from './grant.ts'
import { createGrants } from './grants.ts'
import { createInbox, type InboxEvent } from './inbox.ts'
import type { Answer, NewQuestion } from './question.ts'
import { inspectUrl } from './url-inspection.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-consent-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

class TestClock implements Clock {
  at = 1_000_000
  readonly #waiting = new Set<{ readonly due: number; readonly callback: () => void }>()

  now(): number {
    return this.at
  }

  after(ms: number, callback: () => void): () => void {
    const entry = { due: this.at + ms, callback }
    this.#waiting.add(entry)
    return () => this.#waiting.delete(entry)
  }

  pass(ms: number): void {
    this.at += ms
    for (const entry of [...this.#waiting]) {
      if (entry.due > this.at) continue
      this.#waiting.delete(entry)
      entry.callback()
    }
  }
}

function call(more: Partial<Effect & { kind: 'call' }> = {}): Effect & { kind: 'call' } {
  return { kind: 'call', server: 'git', tool: 'push', arguments: { branch: 'x' }, trusted: false, ...more }
}

function question(server = 'git', more: Partial<NewQuestion> = {}): NewQuestion {
  const effect = call({ server })
  return { server, session: 's', body: { kind: 'approval', effect, reason: 'asked', warnings: [] }, ...more }
}

describe('the inbox', () => {
  it('hands the answer to whoever asked, once (sec-127)', async () => {
    const inbox = await createInbox()
    const events: string[] = []
    inbox.on(({ type }) => events.push(type))
    const waiting: (string | undefined)[] = []
    const asked = inbox.ask(question(), { onWaiting: (id) => waiting.push(id) })
    const [pending] = inbox.pending()
    expect(inbox.answer(pending!.id, { action: 'allow', by: 'terminal' })).toBe('accepted')
    expect(inbox.answer(pending!.id, { action: 'deny' })).toBe('already-settled')
    expect(inbox.answer('nothing', { action: 'deny' })).toBe('unknown')
    expect(await asked).toEqual({ action: 'allow', by: 'terminal' })
    expect([events, waiting, inbox.pending()]).toEqual([['asked', 'answered'], [pending!.id, undefined], []])
  })

  it('sec-102: says which server asks, and a question can always be declined or cancelled', async () => {
    const inbox = await createInbox()
    for (const action of ['deny', 'cancel'] as const) {
      const asked = inbox.ask(question('mail', { body: { kind: 'form', message: 'Your name?', schema: {} } }))
      const [pending] = inbox.pending({ server: 'mail' })
      expect(pending).toMatchObject({ server: 'mail', body: { message: 'Your name?' } })
      inbox.answer(pending!.id, { action })
      expect((await asked).action).toBe(action)
    }
  })

  it('nobody answers for another', async () => {
    const inbox = await createInbox()
    void inbox.ask(question('git', { principal: 'ann' }))
    const [pending] = inbox.pending({ principal: 'ann' })
    expect(inbox.pending({ principal: 'bob' })).toEqual([])
    expect(inbox.answer(pending!.id, { action: 'allow' }, { principal: 'bob' })).toBe('not-yours')
    expect(inbox.answer(pending!.id, { action: 'allow' }, { principal: 'ann' })).toBe('accepted')
  })

  it('shows what will happen, even if the asker changes it afterwards', async () => {
    const inbox = await createInbox()
    const args = { branch: 'x' }
    const body = { kind: 'approval', effect: call({ arguments: args }), reason: '', warnings: [] } as const
    void inbox.ask(question('git', { body }))
    args.branch = 'main'
    expect(inbox.pending()[0]).toMatchObject({ body: { effect: { arguments: { branch: 'x' } } } })
  })

  it('withdraws with the signal, and lets time run out', async () => {
    const clock = new TestClock()
    const inbox = await createInbox({ clock, limits: { keepMs: 1_000 } })
    const events: InboxEvent[] = []
    inbox.on((event) => events.push(event))
    const abort = new AbortController()
    const gone = inbox.ask(question(), { signal: abort.signal })
    abort.abort(new Error('left'))
    await expect(gone).rejects.toThrow('left')
    const late = inbox.ask(question())
    clock.pass(1_000)
    expect(await late).toEqual({ action: 'cancel', by: 'expired' })
    expect(events.map(({ type }) => type)).toEqual(['asked', 'withdrawn', 'asked', 'expired'])
    await expect(inbox.ask(question(), { signal: abort.signal })).rejects.toThrow('left')
  })

  it('sec-114: refuses a server that asks ten thousand times, and nobody else', async () => {
    const inbox = await createInbox({ limits: { maxPending: 20, perMinute: 1_000_000 } })
    const refused = await Promise.all(
      Array.from({ length: 10_000 }, (_, index) => {
        const asked = inbox.ask(question('flood', { session: `s${index}` }))
        return index < 20 ? undefined : asked.catch((error) => error)
      }),
    )
    expect(refused.filter((error) => error?.code === 'denied')).toHaveLength(9_980)
    expect(refused.at(-1)?.message).toMatch(/"flood" has 20 questions waiting/)
    void inbox.ask(question('git'))
    void inbox.ask(question('flood', { principal: 'ann' }))
    expect(inbox.pending()).toHaveLength(22)
  })

  it('sec-114: refuses a server that asks again and again', async () => {
    const clock = new TestClock()
    const inbox = await createInbox({ clock, limits: { perMinute: 3 } })
    const ask = async () => {
      const asked = inbox.ask(question())
      for (const { id } of inbox.pending()) inbox.answer(id, { action: 'cancel' })
      return asked
    }
    for (let round = 0; round < 3; round++) await ask()
    await expect(ask()).rejects.toMatchObject({ code: 'denied', data: { limit: 'perMinute' } })
    clock.pass(61_000)
    expect((await ask()).action).toBe('cancel')
  })

  it.each([
    ['too long', 'maxChars', 5_000_000, 0],
    ['too long together', 'maxPendingChars', 4_000_000, 4],
  ])('refuses questions that are %s', async (_, limit, size, before) => {
    const inbox = await createInbox()
    const ask = () => inbox.ask(question('git', { body: { kind: 'form', message: 'x'.repeat(size), schema: {} } }))
    for (let round = 0; round < before; round++) void ask()
    await expect(ask()).rejects.toMatchObject({ code: 'denied', data: { limit } })
  })

  it('sec-284: bounds the size of all questions, and has room for a server that asks little', async () => {
    const inbox = await createInbox({ limits: { maxTotalChars: 10_000 } })
    const ask = (server: string, size: number) =>
      inbox.ask(question(server, { body: { kind: 'form', message: 'x'.repeat(size), schema: {} } }))
    const refused: unknown[] = []
    for (const server of ['a', 'b', 'c', 'd']) {
      for (let round = 0; round < 12; round++) ask(server, 900).catch(({ data }) => refused.push(data.limit))
    }
    await Promise.resolve()
    expect(inbox.pending().length).toBeLessThanOrEqual(10)
    expect(new Set(refused)).toEqual(new Set(['maxTotalChars']))
    void ask('small', 10)
    expect(inbox.pending().at(-1)?.server).toBe('small')
  })

  it('keeps approvals over a restart; they can be answered, or asked again as the same question', async () => {
    const file = join(folder, 'state', 'inbox.json')
    const first = await createInbox({ file })
    const lost = first.ask(question()).catch((error) => error.code)
    void first.ask(question('mail')).catch(() => {})
    void first.ask(question('form', { body: { kind: 'form', message: 'x', schema: {} } })).catch(() => {})
    await first.close()
    expect(await lost).toBe('closed')
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)

    const second = await createInbox({ file })
    expect(second.pending().map(({ server }) => server)).toEqual(['git', 'mail'])
    const answered: InboxEvent[] = []
    second.on((event) => event.type === 'answered' && answered.push(event))
    const [git, mail] = second.pending()
    second.answer(git!.id, { action: 'allow', remember: 'always' })
    const again = second.ask(question('mail', { session: 'another' }))
    expect(second.pending()).toHaveLength(1)
    second.answer(mail!.id, { action: 'deny' })
    expect((await again).action).toBe('deny')
    expect(answered).toMatchObject([{ orphan: true }, { orphan: false }])
    await second.close()
    expect((await createInbox({ file })).pending()).toEqual([])
  })

  it('sec-223: what waits is sealed on disk (host 40)', async () => {
    const file = join(folder, 'inbox.json')
    const first = await createInbox({ file })
    void first.ask(question('git')).catch(() => {})
    await first.close()
    const text = await readFile(file, 'utf8')
    for (const word of ['git', 'arguments', 'approval']) expect(text).not.toContain(`"${word}"`)
    const second = await createInbox({ file })
    expect(second.pending().map(({ server }) => server)).toEqual(['git'])
    await second.close()
  })

  it('sets a damaged file aside', async () => {
    const file = join(folder, 'inbox.json')
    await writeFile(file, '{"questions": [')
    const warnings: string[] = []
    const inbox = await createInbox({ file, onWarning: (message) => warnings.push(message) })
    expect([inbox.pending(), warnings.length]).toEqual([[], 1])
  })

  it.each<[unknown]>([
    [null],
    [{}],
    [{ action: 'yes' }],
    [{ action: 'allow', remember: 'forever' }],
    [{ action: 'allow', breadth: 'all' }],
    [{ action: 'allow', content: [] }],
    [{ action: 'allow', by: 'x'.repeat(1000) }],
    [{ action: 'allow', content: { big: 'x'.repeat(2_000_000) } }],
    [{ action: 'allow', evenIfTainted: 'yes' }],
  ])('refuses an answer that is none: %j', (answer) => {
    expect(typeof readAnswer(answer)).toBe('string')
  })
})

function about(more: Partial<Circumstances> = {}): Circumstances {
  return { session: 's', unattended: false, tainted: false, at: 0, ...more }
}

describe('remembered answers', () => {
  const ann = createPrincipal('ann')
  it.each<[string, Answer, Effect, Partial<Circumstances>, Effect, Partial<Circumstances>, boolean]>([
    [
      'an item, by default',
      { action: 'allow', remember: 'always' },
      call(),
      {},
      call({ arguments: {} }),
      { session: 'x' },
      true,
    ],
    ['not another item', { action: 'allow', remember: 'always' }, call(), {}, call({ tool: 'log' }), {}, false],
    [
      'a server',
      { action: 'allow', remember: 'always', breadth: 'server' },
      call(),
      {},
      call({ tool: 'log' }),
      {},
      true,
    ],
    [
      'not another server',
      { action: 'allow', remember: 'always', breadth: 'server' },
      call(),
      {},
      call({ server: 'mail' }),
      {},
      false,
    ],
    [
      'not another kind',
      { action: 'allow', remember: 'always', breadth: 'server' },
      call(),
      {},
      { kind: 'read', server: 'git', uri: 'x:' },
      {},
      false,
    ],
    ['the session', { action: 'allow', remember: 'session' }, call(), {}, call(), {}, true],
    ['not another session', { action: 'allow', remember: 'session' }, call(), {}, call(), { session: 'x' }, false],
    [
      'the workspace',
      { action: 'allow', remember: 'workspace' },
      call(),
      { workspace: '/w' },
      call(),
      { session: 'x', workspace: '/w' },
      true,
    ],
    [
      'not another workspace',
      { action: 'allow', remember: 'workspace' },
      call(),
      { workspace: '/w' },
      call(),
      { workspace: '/v' },
      false,
    ],
    [
      'without a workspace, the session',
      { action: 'allow', remember: 'workspace' },
      call(),
      {},
      call(),
      { session: 'x' },
      false,
    ],
    ['not once', { action: 'allow', remember: 'once' }, call(), {}, call(), {}, false],
    ['not a cancelled question', { action: 'cancel', remember: 'always' }, call(), {}, call(), {}, false],
    [
      'not somebody else',
      { action: 'allow', remember: 'always' },
      call(),
      { principal: ann },
      call(),
      { principal: createPrincipal('bob') },
      false,
    ],
    ['not nobody', { action: 'allow', remember: 'always' }, call(), { principal: ann }, call(), {}, false],
    ['the same arguments', { action: 'allow', remember: 'always', breadth: 'arguments' }, call(), {}, call(), {}, true],
    [
      'not more arguments',
      { action: 'allow', remember: 'always', breadth: 'arguments' },
      call(),
      {},
      call({ arguments: { branch: 'x', force: true } }),
      {},
      false,
    ],
    [
      'a pattern',
      { action: 'allow', remember: 'always', breadth: 'arguments', pattern: { branch: 'x' } },
      call(),
      {},
      call({ arguments: { force: true, branch: 'x' } }),
      {},
      true,
    ],
    [
      'not a value of another type',
      { action: 'allow', remember: 'always', breadth: 'arguments', pattern: { n: 1 } },
      call(),
      {},
      call({ arguments: { n: '1' } }),
      {},
      false,
    ],
    [
      'no inherited value',
      { action: 'allow', remember: 'always', breadth: 'arguments', pattern: JSON.parse('{"__proto__":{}}') },
      call(),
      {},
      call(),
      {},
      false,
    ],
    [
      'sampling in a call, not in the background',
      { action: 'allow', remember: 'always' },
      { kind: 'sample', server: 'git', background: false, maxTokens: 1 },
      {},
      { kind: 'sample', server: 'git', background: true, maxTokens: 1 },
      {},
      false,
    ],
    [
      'a flow from fewer',
      { action: 'allow', remember: 'always' },
      { kind: 'flow', server: 'git', from: ['a', 'b'], tool: 'push', arguments: {} },
      {},
      { kind: 'flow', server: 'git', from: ['a'], tool: 'push', arguments: {} },
      {},
      true,
    ],
    [
      'not a flow from others',
      { action: 'allow', remember: 'always' },
      { kind: 'flow', server: 'git', from: ['a'], tool: 'push', arguments: {} },
      {},
      { kind: 'flow', server: 'git', from: ['a', 'c'], tool: 'push', arguments: {} },
      {},
      false,
    ],
    [
      'not seen data by a turn',
      { action: 'allow', remember: 'always' },
      { kind: 'flow', server: 'git', from: ['a'], tool: 'push', arguments: {} },
      {},
      { kind: 'flow', server: 'git', from: ['a'], tool: 'push', arguments: {}, inArguments: true },
      {},
      false,
    ],
    [
      'one root, even if asked for the server',
      { action: 'allow', remember: 'always', breadth: 'server' },
      { kind: 'root', server: 'git', uri: 'file:///a' },
      {},
      { kind: 'root', server: 'git', uri: 'file:///b' },
      {},
      false,
    ],
  ])('hold for %s', async (_, answer, given, givenAbout, effect, effectAbout, holds) => {
    const grants = await createGrants()
    await grants.remember(given, answer, about(givenAbout))
    expect(grants.peek(effect, about(effectAbout))?.action === 'allow').toBe(holds)
  })

  it('a refusal is remembered, and wins over any permission', async () => {
    const grants = await createGrants()
    await grants.remember(call(), { action: 'deny', remember: 'session', breadth: 'server' }, about())
    await grants.remember(call(), { action: 'allow', remember: 'always', breadth: 'arguments' }, about())
    expect(grants.peek(call(), about())?.action).toBe('deny')
  })

  it('a new answer takes the place of the old one', async () => {
    const grants = await createGrants()
    await grants.remember(call(), { action: 'deny', remember: 'always' }, about())
    await grants.remember(call(), { action: 'allow', remember: 'always' }, about())
    expect([grants.peek(call(), about())?.action, grants.list().length]).toEqual(['allow', 1])
  })

  it('a changed definition, and another command line, void a permission', async () => {
    const grants = await createGrants()
    await grants.remember(call(), { action: 'allow', remember: 'always' }, about(), { fingerprint: 'f1' })
    const connect = (fingerprint: string): Effect => ({ kind: 'connect', server: 'git', shown: 'x', fingerprint })
    await grants.remember(connect('c1'), { action: 'allow', remember: 'always', breadth: 'server' }, about())
    const held = (effect: Effect, fingerprint?: string) => grants.peek(effect, about(), { fingerprint }) !== undefined
    expect([held(call(), 'f1'), held(call(), 'f2'), held(call())]).toEqual([true, false, false])
    expect([held(connect('c1')), held(connect('c2'))]).toEqual([true, false])
  })

  it('are kept over a restart, listed in words, and taken back', async () => {
    const file = join(folder, 'grants.json')
    const first = await createGrants({ file })
    await first.remember(call(), { action: 'allow', remember: 'always', by: 'terminal' }, about())
    await first.remember(call({ tool: 'log' }), { action: 'allow', remember: 'session' }, about())
    const second = await createGrants({ file })
    expect(second.list().map(describeGrant)).toEqual(['May call "push" of "git", always'])
    expect(await second.revoke(second.list()[0]!.id)).toBe(true)
    expect(await second.revoke('nothing')).toBe(false)
    expect(second.peek(call(), about())).toBeUndefined()
    expect((await createGrants({ file })).list()).toEqual([])
    first.endSession('s')
    expect(first.list().map(({ remember }) => remember)).toEqual(['always'])
  })

  it('a file that was tampered with makes nothing wider', async () => {
    const file = join(folder, 'grants.json')
    const first = await createGrants({ file })
    await first.remember(
      call(),
      { action: 'allow', remember: 'workspace', breadth: 'arguments' },
      about({ workspace: '/w' }),
    )
    const { grants } = JSON.parse(await readFile(file, 'utf8'))
    for (const member of ['workspace', 'item', 'argumentDigest', 'kind', 'action']) {
      const { [member]: _, ...rest } = grants[0]
      await writeFile(file, JSON.stringify({ version: 1, grants: [rest, 1, null] }))
      expect((await createGrants({ file })).list()).toEqual([])
    }
  })

  it('a yes for somebody who is gone holds one time, for exactly that', async () => {
    const clock = new TestClock()
    const grants = await createGrants({ clock })
    grants.keepOnce(call(), { action: 'allow', breadth: 'server' }, about())
    expect(grants.peek(call({ arguments: {} }), about({ at: clock.at }))).toBeUndefined()
    const once = grants.peek(call(), about({ at: clock.at }))
    expect(once?.remember).toBe('once')
    expect([await grants.use(once as Grant), await grants.use(once as Grant)]).toEqual([true, false])
    expect(grants.peek(call(), about({ at: clock.at }))).toBeUndefined()
  })
})

describe('URLs before they are opened', () => {
  it.each<[string, string, RegExp]>([
    ['https://xn--pple-43d.com/', 'xn--pple-43d.com', /special letters/],
    ['https://аpple.com/', 'xn--pple-43d.com', /mixes alphabets \(Latin, Cyrillic\)/],
    ['https://bank.com@evil.example/', 'evil.example', /before "@"/],
    ['https://bank.com\u202emoc.live@evil.example/', 'evil.example', /invisible/],
    ['https://evil.example/%E2%80%AEgnp.exe', 'evil.example', /invisible/],
    ['https://192.168.1.1/', '192.168.1.1', /local network/],
    ['https://3232235777/', '192.168.1.1', /number/],
    ['https://[::1]/', '[::1]', /this computer/],
    ['http://example.com/', 'example.com', /not encrypted/],
    [`https://login.bank.com.${'a.'.repeat(1000)}evil.example/`, '', /very long/],
    ['https://example.com:8443/', 'example.com:8443', /port 8443/],
    ['https://example.com/?access_token=x', 'example.com', /credential/],
    ['javascript:alert(1)', '', /not a web address/],
    ['no url', '', /no URL/],
  ])('sec-106: %s is warned of', (url, host, warning) => {
    const inspection = inspectUrl(url)
    if (host !== '') expect(inspection.host).toBe(host)
    expect(inspection.warnings.join(' ')).toMatch(warning)
  })

  it('sec-103: shows the host, the end that counts, and the whole URL', () => {
    expect(inspectUrl('https://login.example.co.uk/path?q=1')).toEqual({
      url: 'https://login.example.co.uk/path?q=1',
      host: 'login.example.co.uk',
      displayHost: 'login.example.co.uk',
      domain: 'example.co.uk',
      blocked: false,
      warnings: [],
    })
    expect([inspectUrl('file:///etc/passwd').blocked, inspectUrl('https://例え.jp/').warnings.length]).toEqual([
      true,
      1,
    ])
  })

  it('sec-104: nothing is fetched', async () => {
    let hits = 0
    const canary = createServer((_, response) => response.end(String(++hits)))
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
    // A server that listens on a port has such an address.
    const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/sign-in`
    const inbox = await createInbox()
    const { host, warnings } = inspectUrl(url)
    const asked = inbox.ask(question('git', { body: { kind: 'url', message: 'Sign in', url, host, warnings } }))
    inbox.answer(inbox.pending()[0]!.id, { action: 'deny' })
    await asked
    await new Promise((resolve) => canary.close(resolve))
    expect(hits).toBe(0)
  })
})

it.each(['allow', 'deny'] as const)(
  'an always (%s) of one process reaches another at once (host 32)',
  async (action) => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-two-'))
    const file = join(folder, 'grants.json')
    const [one, two] = await Promise.all([createGrants({ file }), createGrants({ file, follow: true })])
    const effect = { kind: 'read', server: 's', uri: 'x://' } as const
    const here = { session: 's', unattended: false, tainted: false, at: 0 }
    const told = new Promise<void>((resolve) => two.on(resolve))
    await one.remember(effect, { action, remember: 'always' }, here)
    await told
    expect(two.peek(effect, here)?.action).toBe(action)
    two.close()
    await rm(folder, { recursive: true, force: true })
  },
)
