/** The examples of the client run as programs here, each against real servers, and are held to what they print. */

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { spawnExample } from './test/stdio-example.ts'

let running: ChildProcess | undefined

afterEach(() => {
  running?.kill()
  running = undefined
})

type Dialogue = readonly (readonly [question: string, answer: string])[]

/** Runs an example to its end. `dialogue` is typed in, each answer once its question stands there. */
async function runToEnd(file: string, dialogue: Dialogue = []) {
  const child = spawnExample(file)
  running = child
  const unasked = [...dialogue]
  let printed = ''
  let errors = ''
  child.stdout?.on('data', (chunk) => {
    printed += chunk
    const [question, answer] = unasked[0] ?? []
    if (question === undefined || !printed.endsWith(question)) return
    unasked.shift()
    child.stdin?.write(`${answer}\n`)
  })
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = await once(child, 'close')
  return { code, unasked, errors, lines: printed.trimEnd().split('\n') }
}

/** What an example prints. It must end by itself: a client that is closed leaves nothing that keeps a process alive. */
async function run(file: string, dialogue?: Dialogue): Promise<string[]> {
  const { code, unasked, errors, lines } = await runToEnd(file, dialogue)
  expect({ code, unasked }, errors).toEqual({ code: 0, unasked: [] })
  return lines
}

test('client-connect: a program, a URL by two revisions, and a server in the same process', async () => {
  expect(await run('client-connect.ts')).toEqual([
    'hello by channel, 2026-07-28: greet',
    'notes by streamable-http, 2026-07-28: count',
    'notes by streamable-http, 2025-06-18: count',
    'This note is the only one.',
    'notes by channel, 2026-07-28: count',
  ])
})

test('client-typed: calls tools as functions; a failure is thrown', async () => {
  expect(await run('client-typed.ts')).toEqual([
    'SHOPPING',
    expect.stringMatching(/^tool-error: Invalid arguments: words/),
    expect.stringContaining("{ titles: [ 'welcome', 'shopping' ] }"),
  ])
})

test('client-sampling: one handler for both eras, and a refusal that reaches the caller', async () => {
  const both = [
    'editor would like to ask: Shorten: A very long story about a cat',
    'tiny-1 says: cat',
    'editor would like to ask: Shorten: My secret diary',
  ]
  expect(await run('client-sampling.ts')).toEqual([
    ...both,
    'input-refused: The server asked by sampling/createMessage, and no answer was given: The person said no',
    ...both,
    expect.stringMatching(/^tool-error: .*The person said no/),
  ])
})

test.each([
  ['yes', '3 of size M, on its way'],
  ['no', '3 of size M, unpaid'],
])('client-elicitation: a form with a default, then a page (%s)', async (consent, outcome) => {
  const lines = await run('client-elicitation.ts', [
    ['count? ', '3'],
    ['size? ', ''],
    ['Open https://shop.example/pay/17? ', consent],
  ])
  expect(lines[0]).toBe('shop: Which shirts?')
  expect(lines.at(-1)).toContain(outcome)
  expect(lines.join().includes('a browser would show shop.example')).toBe(consent === 'yes')
})

test('client-elicitation: an answer that does not fit the form does not leave the client', async () => {
  const { code, errors } = await runToEnd('client-elicitation.ts', [
    ['count? ', '99'],
    ['size? ', 'XXL'],
  ])
  expect(code).toBe(1)
  expect(errors).toMatch(/The answer does not fit the form: .*count/)
  expect(errors).toMatch(/invalid-arguments/)
})

test('client-subscriptions: a resource and a list, read again when they change', async () => {
  const printed = (await run('client-subscriptions.ts')).join('\n')
  expect(printed).toMatch(
    /agreed: \{\s+resourcesListChanged: true,\s+resourceSubscriptions: \[ 'wiki:\/\/pages\/home' \]/,
  )
  expect(printed).toContain("text: '# New home'")
  expect(printed).toMatch(/list: .* wiki:\/\/pages\/garden$/)
})

test('client-caching: public results are shared, private ones are not, a change makes what it names stale', async () => {
  const kept = (who: string, what: string, read: number) => `${who} { uri: 'sea://${what}', text: 'read ${read}' }`
  expect(await run('client-caching.ts')).toEqual([
    kept('ann', 'tides', 1),
    kept('ann', 'diary', 2),
    kept('bob', 'tides', 1),
    kept('bob', 'diary', 3),
    kept('ann', 'tides', 1),
    kept('ann', 'diary', 2),
    kept('after the storm', 'tides', 4),
  ])
})

test('client-errors: every failure has a code and says whether the request can have arrived', async () => {
  const lines = await run('client-errors.ts')
  expect(lines.filter((line) => /^[a-z ]+: [a-z-]+( -\d+)? \(/.test(line))).toEqual([
    expect.stringMatching(/^no such tool: peer-error -32602 \(answered\)/),
    expect.stringMatching(/^no prompts: capability-missing \(not-sent\)/),
    expect.stringMatching(/^too slow: timeout \(unknown\)/),
    expect.stringMatching(/^cancelled: aborted \(unknown\)/),
    expect.stringMatching(/^crash: closed \(unknown\)/),
  ])
  expect(lines[0]).toMatch(/^for the model: true/)
  expect(lines.join('\n')).toMatch(/counted 1\ncounted 2\nagain: .*Counted to 2\./)
})

test('client-tasks: follows a call, and takes one up again by its id (T26-16, T26-35)', async () => {
  expect(await run('client-tasks.ts')).toEqual([
    "{ type: 'text', text: 'One lemon cake' }",
    'Taken up again: extension',
    "{ type: 'text', text: 'One lemon cake' }",
  ])
})
