import { describe, expect, it } from 'vitest'
import { METHODS, methodOf, methodSets } from './methods.ts'
import { PROTOCOL_VERSIONS } from './revision.ts'

describe('the method table', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'tools/Call'])(
    'has no row for %j (sec-25)',
    (name) => expect(methodOf(name)).toBeUndefined(),
  )

  it('has the rows that a peer may name', () => {
    for (const name of METHODS.keys()) expect(methodOf(name)).toBeDefined()
  })

  it('lets handlers ask in tool calls, prompts and reads alone (2026-07-28, multi round-trip requests)', () => {
    const asking = [...METHODS.keys()].filter((name) => methodOf(name)?.asks === true)
    expect(asking.sort()).toEqual(['prompts/get', 'resources/read', 'tools/call'])
  })

  it.each([
    ['tools/call', 'name'],
    ['prompts/get', 'name'],
    ['resources/read', 'uri'],
    ['tools/list', undefined],
  ])('mirrors of %s the parameter %s (Streamable HTTP, "Standard Request Headers")', (name, source) => {
    expect(methodOf(name)?.nameFrom).toBe(source)
  })

  const has = (
    set: 'clientRequests' | 'clientNotifications' | 'serverRequests' | 'serverNotifications',
    name: string,
  ) => PROTOCOL_VERSIONS.filter((version) => methodSets(version)[set].has(name))
  const all = [...PROTOCOL_VERSIONS]
  const legacy = all.slice(0, 4)

  it.each([
    ['clientRequests', 'initialize', legacy],
    ['clientRequests', 'ping', legacy],
    ['serverRequests', 'ping', legacy],
    ['clientRequests', 'tools/call', all],
    ['serverRequests', 'tools/call', []],
    ['clientRequests', 'server/discover', ['2026-07-28']],
    ['clientRequests', 'subscriptions/listen', ['2026-07-28']],
    ['clientRequests', 'resources/subscribe', legacy],
    ['serverRequests', 'elicitation/create', all.slice(2)],
    ['clientNotifications', 'notifications/progress', legacy],
    ['serverNotifications', 'notifications/progress', all],
    ['clientNotifications', 'notifications/cancelled', all],
    ['serverNotifications', 'notifications/elicitation/complete', ['2025-11-25']],
  ] as const)('%s hold %s in the right revisions', (set, name, versions) => {
    expect(has(set, name)).toEqual(versions)
  })
})
