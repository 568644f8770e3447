import { describe, expect, it } from 'vitest'
import { createMemorySessions, type Expiring } from './session-store.ts'

class Session implements Expiring {
  readonly id: string
  lastUsed = 0
  busy = false
  ended = false
  constructor(id: string) {
    this.id = id
  }
  sweep(): void {}
  end(): void {
    this.ended = true
  }
}

function start(maxSessions = 2, sessionIdleMs = 1000) {
  const clock = { now: 0 }
  return { clock, store: createMemorySessions<Session>({ maxSessions, sessionIdleMs }, () => clock.now) }
}

describe('sessions in memory', () => {
  it.each([
    [999, false],
    [1000, false],
    [1001, true],
  ])('after %i ms without use: expired is %s', (after, expired) => {
    const { clock, store } = start()
    const session = new Session('a')
    store.add(session)
    clock.now = after
    expect(store.get('a')).toBe(expired ? undefined : session)
    expect([session.ended, store.size]).toEqual([expired, expired ? 0 : 1])
    store.close()
  })

  it('stay as long as they are used, or busy', () => {
    const { clock, store } = start()
    const [used, busy] = [new Session('used'), new Session('busy')]
    store.add(used)
    store.add(busy)
    busy.busy = true
    for (clock.now = 0; clock.now < 5000; clock.now += 900) expect(store.get('used')).toBe(used)
    expect(store.get('busy')).toBe(busy)
    store.close()
    expect([used.ended, busy.ended, store.size]).toEqual([true, true, 0])
  })

  it('are bounded in number; expired ones make room', () => {
    const { clock, store } = start(2)
    expect([store.add(new Session('a')), store.add(new Session('b')), store.add(new Session('c'))]).toEqual([
      true,
      true,
      false,
    ])
    clock.now = 2000
    expect(store.add(new Session('c'))).toBe(true)
    expect(store.size).toBe(1)
    store.close()
  })

  it('are not found by names of inherited members', () => {
    const { store } = start()
    for (const id of ['__proto__', 'constructor', '']) expect(store.get(id)).toBeUndefined()
  })
})
