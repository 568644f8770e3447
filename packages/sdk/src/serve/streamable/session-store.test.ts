import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemorySessions, type Expiring } from './session-store.ts'

class Session implements Expiring {
  readonly id: string
  lastUsed = 0
  busy = false
  ended = false
  readonly holder: string | undefined
  constructor(id: string, holder?: string) {
    this.id = id
    this.holder = holder
  }
  sweep(): void {}
  end(): void {
    this.ended = true
  }
}

function start(maxSessions = 2, sessionIdleMs = 1000, maxSessionsPerPrincipal = 100) {
  const clock = { now: 0 }
  const limits = { maxSessions, sessionIdleMs, maxSessionsPerPrincipal }
  return { clock, store: createMemorySessions<Session>(limits, () => clock.now) }
}

/** Adds a session and uses it once. */
function addUsed(store: ReturnType<typeof start>['store'], id: string, holder?: string) {
  const bound = store.add(new Session(id, holder))
  if (bound === undefined) store.get(id)
  return bound
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
    expect(['a', 'b', 'c'].map((id) => addUsed(store, id))).toEqual([undefined, undefined, 'maxSessions'])
    clock.now = 2000
    expect(store.add(new Session('c'))).toBeUndefined()
    expect(store.size).toBe(1)
    store.close()
  })

  it('that were opened and never used make room, the oldest first (security D8, sec-165)', () => {
    const { store } = start(3)
    addUsed(store, 'used')
    const [older, newer] = [new Session('older'), new Session('newer')]
    store.add(older)
    store.add(newer)
    expect(store.add(new Session('next'))).toBeUndefined()
    expect([older.ended, newer.ended, store.get('used')?.ended]).toEqual([true, false, false])
    store.close()
  })

  it.each([
    { before: 1, bound: undefined },
    { before: 2, bound: undefined },
    { before: 3, bound: 'maxSessionsPerPrincipal' },
  ])('of one principal are bounded, here with $before before (security D8, sec-165)', ({ before, bound }) => {
    const { store } = start(100, 1000, 3)
    for (let at = 0; at < before; at++) addUsed(store, `a${at}`, 'ada')
    expect(addUsed(store, 'next', 'ada')).toBe(bound)
    expect(addUsed(store, 'theirs', 'bob')).toBeUndefined()
    store.close()
  })

  it('are shared fairly: whoever opens most never keeps another from its share (security D8, sec-165)', () => {
    const holders = ['ada', 'bob', 'eve', undefined]
    const moves = fc.array(fc.tuple(fc.constantFrom(...holders), fc.boolean()), { maxLength: 200 })
    fc.assert(
      fc.property(moves, (list) => {
        const { store } = start(12, 1_000_000)
        const kept = new Map<string, Session>()
        for (const [at, [holder, used]] of list.entries()) {
          const session = new Session(`s${at}`, holder)
          if (store.add(session) === undefined) kept.set(session.id, session)
          if (used) store.get(session.id)
          expect(store.size).toBeLessThanOrEqual(12)
        }
        // Four holders, twelve places: everybody gets to three, however many the others have.
        for (const holder of holders) {
          for (let at = 0; at < 3; at++) {
            const open = [...kept.values()].filter((one) => !one.ended && one.holder === holder).length
            if (open >= 3) break
            const session = new Session(`${holder} ${at}`, holder)
            expect(store.add(session)).toBeUndefined()
            store.get(session.id)
            kept.set(session.id, session)
          }
        }
        store.close()
      }),
      { numRuns: 200 },
    )
  })

  it('are not found by names of inherited members', () => {
    const { store } = start()
    for (const id of ['__proto__', 'constructor', '']) expect(store.get(id)).toBeUndefined()
  })
})
