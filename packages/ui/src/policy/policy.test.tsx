import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  choose,
  click,
  expectInert,
  expectInside,
  fill,
  HOSTILE,
  pick,
  press,
  refusal,
  show,
  textbox,
  words,
} from '../../test/page.tsx'
import type { RuleJson } from './rule-model.ts'
import { PolicyScreen } from './screen.tsx'

let saved: readonly RuleJson[] = []

/** The policy screen over a program that keeps the rules it is given. */
async function open(
  rules: readonly RuleJson[],
  tab = 'rules',
  more: Parameters<typeof answers>[0] = {},
): Promise<void> {
  saved = rules
  answers({
    'policy.get': () => ({ rules: saved, findings: [], shadow: [] }),
    'policy.set': (params) => {
      saved = params.rules
      return { findings: [] }
    },
    ...more,
  })
  window.location.hash = `/policy?tab=${tab}`
  await expect.poll(() => window.location.hash).toBe(`#/policy?tab=${tab}`)
  show(<PolicyScreen />)
  await expect.element(page.getByRole('tab', { name: 'Rules' })).toBeVisible()
}

const RULE: RuleJson = { id: 'one', outcome: 'ask', server: ['files'] }
const tableRow = (id: string) => page.getByRole('button', { name: id, exact: true })

/** Opens a rule in the editor, applies it unchanged, and saves. */
async function roundTrip(id: string): Promise<void> {
  await click(tableRow(id))
  await press('Apply')
  await press('Save rules')
  await expect.poll(() => askedOf('policy.set').length).toBe(1)
}

describe('a rule that is opened, applied and saved is the rule that it was', () => {
  it.each<[string, RuleJson]>([
    ['the least that there is', { id: 'r', outcome: 'allow' }],
    ['a reason', { id: 'r', outcome: 'deny', because: 'Never' }],
    [
      'every kind of list',
      { id: 'r', outcome: 'ask', effect: ['call', 'flow'], server: ['a*', 'b'], item: ['x_?'], from: ['c'] },
    ],
    ['every flag', { id: 'r', outcome: 'allow', shadow: true, review: true, evenIfTainted: true }],
    [
      'arguments',
      { id: 'r', outcome: 'deny', arguments: { 'files.*.path': { under: '/etc' }, n: { range: { min: 1 } } } },
    ],
    ['annotations', { id: 'r', outcome: 'allow', annotations: { readOnly: true, destructive: false } }],
    ['a caller', { id: 'r', outcome: 'allow', principal: { id: 'ada*', roles: ['admin'], claims: { team: 'x' } } }],
    [
      'a time',
      { id: 'r', outcome: 'deny', time: { days: ['sat', 'sun'], from: '22:00', to: '06:00', zone: 'Europe/Berlin' } },
    ],
    ['a count', { id: 'r', outcome: 'allow', count: { max: 3, per: 'hour' } }],
    ['a condition', { id: 'r', outcome: 'deny', when: 'context.tainted && !context.unattended' }],
    ['members that nobody knows yet', { id: 'r', outcome: 'ask', later: [1, { deep: null }] }],
    ['a name of another alphabet', { id: 'правило-1', outcome: 'ask', because: 'потому' }],
  ])('%s', async (_what, rule) => {
    await open([{ id: 'before', outcome: 'ask' }, rule])
    await roundTrip(String(rule.id))
    expect(saved).toEqual([{ id: 'before', outcome: 'ask' }, rule])
  })

  it('one name is a list of one', async () => {
    await open([{ id: 'r', outcome: 'allow', effect: 'call', server: 'files' }])
    await roundTrip('r')
    expect(saved).toEqual([{ id: 'r', outcome: 'allow', effect: ['call'], server: ['files'] }])
  })

  it('a list whose members are no names is not lost', async () => {
    const odd: RuleJson = { id: 'r', outcome: 'deny', server: { not: 'files' } as never }
    await open([odd])
    await roundTrip('r')
    expect(saved).toEqual([odd])
  })
})

describe('each field changes its own member', () => {
  it.each<[string, () => Promise<void>, RuleJson]>([
    ['the outcome', () => pick('Deny'), { id: 'one', outcome: 'deny', server: ['files'] }],
    ['the name', () => fill(textbox('Name'), 'other'), { id: 'other', outcome: 'ask', server: ['files'] }],
    [
      'the reason',
      () => fill(textbox('Reason'), 'So be it'),
      { id: 'one', outcome: 'ask', because: 'So be it', server: ['files'] },
    ],
    [
      'the action',
      () => choose('Action', 'call a tool'),
      { id: 'one', outcome: 'ask', effect: ['call'], server: ['files'] },
    ],
    [
      'a shadow',
      () => click(page.getByRole('switch', { name: /^Shadow/ })),
      { id: 'one', outcome: 'ask', server: ['files'], shadow: true },
    ],
    [
      'a review',
      () => click(page.getByRole('switch', { name: /^Show results/ })),
      { id: 'one', outcome: 'ask', server: ['files'], review: true },
    ],
    [
      'other conditions',
      () => fill('More conditions', '{"count":{"max":1,"per":"day"}}'),
      { id: 'one', outcome: 'ask', server: ['files'], count: { max: 1, per: 'day' } },
    ],
  ])('%s', async (_what, change, rule) => {
    await open([RULE])
    await click(tableRow('one'))
    await change()
    await press('Apply')
    await press('Save rules')
    await expect.poll(() => askedOf('policy.set').map(({ rules }) => rules)).toEqual([[rule]])
  })

  it('an even-if-tainted rule is offered for Allow alone', async () => {
    await open([RULE])
    await click(tableRow('one'))
    expect(words()).not.toContain('Applies even while untrusted text')
    await pick('Allow')
    await expect.poll(words).toContain('Applies even while untrusted text')
  })

  it('a flag that an Allow had is not kept for a Deny, which cannot have it', async () => {
    await open([{ id: 'one', outcome: 'allow', evenIfTainted: true }])
    await click(tableRow('one'))
    await pick('Deny')
    await press('Apply')
    await press('Save rules')
    await expect.poll(() => saved).toEqual([{ id: 'one', outcome: 'deny' }])
  })
})

describe('what is no rule is refused in words', () => {
  it.each<[string, string, string, string]>([
    ['no name', 'Name', '  ', 'Required'],
    ['a name that is taken', 'Name', 'two', 'Another rule has this name'],
    ['conditions that are no JSON', 'More conditions', '{', 'Not JSON'],
    ['conditions that are no object', 'More conditions', '[]', 'Must be an object'],
    [
      'an outcome among the conditions',
      'More conditions',
      '{"outcome":"allow"}',
      '“outcome” has a field of its own above',
    ],
    ['another name among the conditions', 'More conditions', '{"id":"two"}', '“id” has a field of its own above'],
    ['servers among the conditions', 'More conditions', '{"server":["*"]}', '“server” has a field of its own above'],
  ])('%s', async (_what, label, text, problem) => {
    await open([RULE, { id: 'two', outcome: 'deny' }])
    await click(tableRow('one'))
    await fill(textbox(label), text)
    await expect.poll(words).toContain(problem)
    await expect.element(page.getByRole('button', { name: 'Apply' })).toBeDisabled()
  })

  it.each<[string, string]>([
    ['', 'Empty'],
    ['{', 'Not JSON'],
    ['{}', 'Must be a list of rules'],
    ['[1]', 'Must be a list of rules'],
    ['[null]', 'Must be a list of rules'],
  ])('all rules as JSON: %j', async (text, problem) => {
    await open([RULE])
    await pick('JSON')
    await fill(textbox('Rules'), text)
    await expect.poll(words).toContain(problem)
    expect(page.getByRole('button', { name: 'Save rules' }).elements()).toHaveLength(0)
  })

  it('the refusal of the program is shown, and what was changed stays', async () => {
    await open([RULE], 'rules', {
      'policy.set': () => {
        throw refusal('Rule one: no such effect', 'Use call')
      },
    })
    await click(tableRow('one'))
    await fill(textbox('Reason'), 'kept')
    await press('Apply')
    await press('Save rules')
    await expect.element(page.getByText('Rule one: no such effect')).toBeVisible()
    expect(words()).toContain('kept')
    expect(words()).toContain('Not saved yet')
  })
})

describe('the list of rules', () => {
  it('a new rule has a name that is free, and comes last', async () => {
    await open([RULE, { id: 'rule-3', outcome: 'deny' }])
    await press('Add rule')
    await expect.element(textbox('Name')).toHaveValue('rule-4')
    await press('Apply')
    await press('Save rules')
    await expect.poll(() => saved.map(({ id }) => id)).toEqual(['one', 'rule-3', 'rule-4'])
  })

  it.each<[string, string, readonly RuleJson[]]>([
    ['is taken out', 'Remove', [{ id: 'b', outcome: 'deny' }]],
    [
      'becomes a shadow',
      'Shadow: log only',
      [
        { id: 'a', outcome: 'ask', shadow: true },
        { id: 'b', outcome: 'deny' },
      ],
    ],
  ])('a rule %s', async (_what, deed, left) => {
    await open([
      { id: 'a', outcome: 'ask' },
      { id: 'b', outcome: 'deny' },
    ])
    await press('Actions for a')
    await press(deed, 'menuitem')
    await press('Save rules')
    await expect.poll(() => saved).toEqual(left)
  })

  it('nothing is saved before somebody says so, and Discard brings all back', async () => {
    await open([RULE])
    await press('Actions for one')
    await press('Remove', 'menuitem')
    await expect.poll(words).toContain('No rules: everything is asked')
    expect(askedOf('policy.set')).toEqual([])
    await press('Discard')
    await expect.element(tableRow('one')).toBeVisible()
  })

  it('Discard brings the text of the JSON back as well', async () => {
    await open([RULE])
    await pick('JSON')
    await fill(textbox('Rules'), '[]')
    await press('Discard')
    await expect.poll(() => JSON.parse((textbox('Rules').element() as HTMLTextAreaElement).value)).toEqual([RULE])
  })

  it('JSON and table are the same rules', async () => {
    await open([RULE])
    await pick('JSON')
    await fill(textbox('Rules'), '[{"id":"typed","outcome":"deny","item":["rm"]}]')
    await pick('Table')
    await expect.element(tableRow('typed')).toBeVisible()
    expect(words()).toContain('anything · * / rm')
  })

  it('what is wrong with a rule is said above and beside it', async () => {
    await open([RULE], 'rules', {
      'policy.get': () => ({
        rules: [RULE],
        findings: [{ rule: 'one', severity: 'warning', message: 'never decides', remedy: 'take it out' }],
        shadow: [],
      }),
    })
    await expect.poll(words).toContain('one: never decides — take it out')
    expect(words()).toContain('Some rules never decide anything')
    expect(words()).toContain('warning')
  })
})

describe('explain', () => {
  const DECISION = {
    outcome: 'deny',
    rule: 'one',
    reason: 'because',
    considered: ['one: matches', 'two: other server'],
  } as const
  const servers = { 'policy.explain': () => DECISION as never }

  it('says which rule decides, and which others were looked at', async () => {
    await open([RULE], 'explain', servers)
    await fill(page.getByRole('combobox', { name: 'Server' }), 'files')
    await fill(textbox('Tool'), 'write')
    await expect.poll(words).toContain('Rule “one” decides')
    expect(words()).toContain('two: other server')
    await expect
      .poll(() => askedOf('policy.explain').at(-1)?.effect)
      .toEqual({
        kind: 'call',
        server: 'files',
        tool: 'write',
        arguments: {},
        trusted: false,
      })
  })

  it('asks nothing while something is missing, and says what', async () => {
    await open([RULE], 'explain', servers)
    await expect.poll(words).toContain('Choose a server.')
    expect(askedOf('policy.explain')).toEqual([])
  })

  it('uses the rules that are not saved yet', async () => {
    await open([RULE], 'rules', servers)
    await press('Actions for one')
    await press('Remove', 'menuitem')
    await press('Test in Explain')
    await fill(page.getByRole('combobox', { name: 'Server' }), 'files')
    await expect.poll(words).toContain('With your unsaved changes')
    await expect.poll(() => askedOf('policy.explain').at(-1)?.rules).toEqual([])
  })
})

describe('remembered answers', () => {
  const GRANTS = [
    { id: 'g1', outcome: 'allow', words: 'call write of files', remember: 'always', at: 1 },
    { id: 'g2', outcome: 'deny', words: 'read x', remember: 'session', at: 2 },
  ] as const

  it('are forgotten once somebody has said yes to that, each alone', async () => {
    const left = new Set<string>(['g1', 'g2'])
    await open([], 'remembered', {
      'grants.list': () => ({ grants: GRANTS.filter(({ id }) => left.has(id)) }),
      'grants.revoke': ({ id }) => {
        left.delete(id)
        return {}
      },
    })
    await press('Forget: call write of files')
    expect(askedOf('grants.revoke')).toEqual([])
    await press('Forget it')
    await expect.poll(() => askedOf('grants.revoke')).toEqual([{ id: 'g1' }])
    await expect.element(page.getByRole('button', { name: 'Forget: call write of files' })).not.toBeInTheDocument()
    expect(words()).toContain('read x')
  })

  it('say so where there are none', async () => {
    await open([], 'remembered', { 'grants.list': () => ({ grants: [] }) })
    await expect.element(page.getByText('No answer is remembered')).toBeVisible()
  })
})

describe('the audit log', () => {
  const record = (sequence: number) =>
    ({
      sequence,
      hash: `h${sequence}`,
      previous: '',
      at: 1_000 + sequence,
      type: 'decision',
      what: 'call',
      server: 'files',
      item: `tool${sequence}`,
      outcome: 'deny',
      rule: 'one',
    }) as never

  it('is searched by words, page by page, each record whole', async () => {
    const all = Array.from({ length: 150 }, (_, at) => record(150 - at)) as readonly { readonly at: number }[]
    await open([], 'audit', {
      'audit.search': ({ before = Number.POSITIVE_INFINITY, limit = 100 }) => ({
        records: all.filter(({ at }) => at < before).slice(0, limit) as never,
      }),
    })
    await press('Older records')
    await expect.poll(words).toMatch(/tool1\s/)
    expect(document.querySelectorAll('tbody tr')).toHaveLength(150)
    await click(page.getByRole('button', { name: /^Record 150,/ }))
    await expect.poll(words).toContain('"hash": "h150"')
    await fill(textbox('Search the audit log'), 'outcome:deny')
    await expect.poll(() => askedOf('audit.search').at(-1)?.query).toBe('outcome:deny')
  })

  it.each<[string, { ok: boolean; records: number; problems: string[] }, string]>([
    ['whole', { ok: true, records: 12, problems: [] }, '12 records, none changed'],
    ['changed', { ok: false, records: 12, problems: ['record 4 was changed'] }, 'record 4 was changed'],
  ])('says whether it is as it was written: %s', async (_what, report, said) => {
    await open([], 'audit', { 'audit.search': () => ({ records: [] }), 'audit.verify': () => report })
    await press('Verify the log')
    await expect.poll(words).toContain(said)
  })
})

describe('words of a stranger (sec-125)', () => {
  it.each(Object.entries(HOSTILE))('%s is shown as characters, inside the window', async (_what, text) => {
    await open([{ id: text, outcome: 'deny', because: text, server: [text], when: text }], 'rules', {
      'policy.get': () => ({
        rules: [{ id: text, outcome: 'deny', because: text, server: [text], when: text }],
        findings: [{ rule: text, severity: 'error', message: text }],
        shadow: [],
      }),
    })
    await expect.poll(() => document.querySelectorAll('tbody tr').length).toBe(1)
    expectInert()
    await expectInside()
  })
})
