import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { type Plan, run, type Trial } from './suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-suite-'))
const program = join(folder, 'run.ts')
writeFileSync(program, '/**\n * `npm run thing`: tries things.\n */\n')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let said: string[]
beforeEach(() => {
  said = []
  for (const way of ['log', 'error'] as const)
    vi.spyOn(console, way).mockImplementation((text) => void said.push(String(text)))
})

const ran: string[] = []
const works = (name: string, more: Partial<Trial> = {}): Trial => ({ name, run: () => void ran.push(name), ...more })
const fails: Trial = { name: 'fails', run: () => Promise.reject(new Error('broken')) }
const absent = works('needs a browser', { missing: () => 'there is no browser' })

async function tryOut(
  trials: readonly Trial[],
  words: readonly string[] = [],
  plan: Partial<Plan> = {},
): Promise<number> {
  ran.length = 0
  const suite = {
    flags: { seed: { type: 'string', about: 'repeats a run' } },
    open: () => ({ trials, ...plan }),
  } as const
  return await run(pathToFileURL(program).href, suite, words)
}

test.each<[string, readonly Trial[], readonly string[], number, readonly string[]]>([
  ['all without a word', [works('one'), works('two')], [], 0, ['one', 'two']],
  ['those that hold a word', [works('one'), works('two')], ['w'], 0, ['two']],
  ['the same by --only', [works('one'), works('two')], ['--only', 'on'], 0, ['one']],
  ['nothing that is long with --short', [works('one', { long: true }), works('two')], ['--short'], 0, ['two']],
  [
    'what the others need',
    [works('open', { always: true }), works('two'), works('three')],
    ['two'],
    0,
    ['open', 'two'],
  ],
  ['a failure', [works('one'), fails, works('two')], [], 1, ['one', 'two']],
  ['no trial of that name', [works('open', { always: true }), works('one')], ['x'], 1, []],
  ['what this machine lacks beside something', [absent, works('one')], [], 0, ['one']],
  ['only what this machine lacks', [absent], [], 1, []],
  ['only what this machine lacks, in the short form', [absent], ['--short'], 0, []],
  ['an unknown flag', [works('one')], ['--what'], 2, []],
  ['--list', [works('one'), works('two')], ['--list', 'o', '--seed', '3'], 0, []],
])('house 5: one runner, %s', async (_, trials, words, code, names) => {
  expect(await tryOut(trials, words)).toBe(code)
  expect(ran).toEqual(names)
})

test('house 5: what is skipped is said with its reason, and what failed with its error', async () => {
  await tryOut([absent, fails])
  expect(said).toContain('skipped needs a browser: there is no browser')
  expect(said.join('\n')).toContain('Error: broken')
  expect(said.at(-1)).toBe('\n0 of 1 passed, 1 skipped')
})

test('house 5: --help is the opening comment and every flag', async () => {
  expect(await tryOut([], ['--help'])).toBe(0)
  expect(said.join('\n')).toMatch(/`npm run thing`: tries things\.[\s\S]*--short[\s\S]*--seed <text> +repeats a run/)
})

test('house 5: checks of a trial are counted by group, one that fails fails the trial and the others go on', async () => {
  const trial = works('wire', {
    run: async (report) => {
      await report.checkIn('modern', 'first', () => {})
      await report.checkIn('modern', 'second', () => Promise.reject(new Error('no')))
      await report.checkIn('older', 'never', () => new Promise(() => {}), { limitMs: 1 })
    },
  })
  expect(await tryOut([trial], [], { columns: ['modern', 'older'] })).toBe(1)
  const text = said.join('\n')
  expect(text).toMatch(/wire +1\/2 +0\/1 +1 +2/)
  expect(text).toContain('never: nothing within 1 ms')
})

test('house 5: a suite is opened once, and closed whatever became of its trials', async () => {
  const order: string[] = []
  const plan = { before: () => void order.push('open'), after: () => void order.push('close') }
  await tryOut([fails, works('one'), works('two')], [], plan)
  expect(order).toEqual(['open', 'close'])
  await tryOut([absent], [], plan)
  expect(order).toHaveLength(2)
})

const suites = new URL('../', import.meta.url)
const programs = readdirSync(suites).filter((name) => existsSync(new URL(`${name}/run.ts`, suites)))

test.each(programs)('the suite %s begins after everything that it is made of', (name) => {
  const text = readFileSync(new URL(`${name}/run.ts`, suites), 'utf8')
  const [, after = ''] = text.split('await runSuite(')
  expect(after).not.toBe('')
  // The suite runs at that line; what is assigned below it is not there yet. Functions are.
  expect(after.match(/^(?:const|let|class) .*/gm) ?? []).toEqual([])
})
