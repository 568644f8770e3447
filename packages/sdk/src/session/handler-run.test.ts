import { describe, expect, it, vi } from 'vitest'
import { PorticoError } from '../jsonrpc/errors.ts'
import { HandlerRun } from './handler-run.ts'

const failing = (error: unknown) => (): never => {
  throw error
}

/** The same steps in a later run, which knows of the first only what JSON kept. */
function later(run: HandlerRun): HandlerRun {
  const next = new HandlerRun()
  next.restore(JSON.parse(JSON.stringify(run.record())))
  return next
}

describe('steps of a handler (sdk D8)', () => {
  it.each([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['undefined', undefined, undefined],
    ['null', null, null],
    ['absent members', { a: undefined, b: 1 }, { b: 1 }],
    [
      'a class with members',
      new (class Row {
        id = 7
      })(),
      { id: 7 },
    ],
    ['its own idea of JSON', { toJSON: () => 'short' }, 'short'],
  ])('gives %s as JSON does, in the first run as in later ones', async (_, value, expected) => {
    const run = new HandlerRun()
    expect(await run.step('s', () => value)).toStrictEqual(expected)
    expect(await later(run).step('s', () => value)).toStrictEqual(expected)
  })

  it.each([
    ['a Map', new Map(), 'Object.fromEntries'],
    ['a Set inside', { deep: [new Set()] }, '"0": a Set'],
    ['an Error', new Error('x'), 'throw it instead'],
    ['bytes', new Uint8Array(2), 'base64'],
    ['NaN', { n: Number.NaN }, '"n": NaN'],
    ['a function', { f: () => 1 }, '"f": a function'],
    ['a bigint', 1n, 'a bigint'],
    ['a generator', (function* () {})(), 'a generator'],
    [
      'an instance that keeps all to itself',
      new (class Secret {
        #x = 1
        get x() {
          return this.#x
        }
      })(),
      'Secret',
    ],
  ])('refuses %s, and says what to return', async (_, value, words) => {
    await expect(new HandlerRun().step('s', () => value)).rejects.toThrow(words)
  })

  it('runs once for its name, one after the other, at a time and in later runs', async () => {
    const run = new HandlerRun()
    const action = vi.fn(async () => action.mock.calls.length)
    const values = [await run.step('s', action), ...(await Promise.all([run.step('s', action), run.step('s', action)]))]
    expect([...values, await later(run).step('s', action)]).toEqual([1, 1, 1, 1])
  })

  it('gives each user of a name a copy', async () => {
    const run = new HandlerRun()
    const mine = await run.step('s', () => ({ list: [1] }))
    mine.list.push(2)
    expect(await run.step('s', () => ({ list: [] as number[] }))).toEqual({ list: [1] })
  })

  it('fails the same in later runs: name, message and members', async () => {
    const run = new HandlerRun()
    const error = Object.assign(new RangeError('sold out'), { code: 'E_SOLD', at: new Date(0) })
    await expect(run.step('s', failing(error))).rejects.toBe(error)
    const action = vi.fn()
    const again = later(run).step('s', action)
    await expect(again).rejects.toMatchObject({ name: 'RangeError', message: 'sold out', code: 'E_SOLD' })
    await expect(again).rejects.toBeInstanceOf(Error)
    await expect(run.step('s', action)).rejects.toThrow('sold out')
    expect(action).not.toHaveBeenCalled()
  })

  it('gives back its own errors as such, and a stranger’s with a code of the same name as a stranger’s', async () => {
    const run = new HandlerRun()
    await run.step('own', failing(new PorticoError('timeout', 'late'))).catch(() => {})
    await run.step('other', failing(Object.assign(new Error('late'), { code: 'timeout' }))).catch(() => {})
    const own = await later(run)
      .step('own', () => 1)
      .catch((error: unknown) => error)
    const other = await later(run)
      .step('other', () => 1)
      .catch((error: unknown) => error)
    expect(own).toMatchObject({ code: 'timeout', message: 'late' })
    expect(own).toBeInstanceOf(PorticoError)
    expect(other).toMatchObject({ code: 'timeout', message: 'late' })
    expect(other).not.toBeInstanceOf(PorticoError)
  })

  it.each(['text', undefined, null, 4n])('fails the same when %s was thrown', async (thrown) => {
    const run = new HandlerRun()
    await run.step('s', failing(thrown)).catch(() => {})
    await expect(later(run).step('s', () => 1)).rejects.toBe(typeof thrown === 'bigint' ? '4' : thrown)
  })

  it('tells a step that waits for itself, at once or after an await (sdk D9)', async () => {
    const run = new HandlerRun()
    await expect(run.step('a', () => run.step('a', () => 1))).rejects.toThrow('"a" waits for itself')
    const late = run.step('b', async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return run.step('c', () => run.step('b', () => 1))
    })
    await expect(late).rejects.toThrow('"b" waits for itself')
  })

  it('lets a step use others, and another handler its own of the same name', async () => {
    const [run, other] = [new HandlerRun(), new HandlerRun()]
    expect(await run.step('a', () => run.step('b', () => other.step('a', () => 3)))).toBe(3)
  })
})

describe('keys of questions (sdk D9, D10)', () => {
  it('numbers unnamed ones by kind', () => {
    const run = new HandlerRun()
    expect(['x', 'y', 'x'].map((kind) => run.claimKey(undefined, kind))).toEqual(['x_1', 'y_1', 'x_2'])
  })

  it('refuses a key that was used in this run, whether given or made', () => {
    const run = new HandlerRun()
    run.claimKey('k', 'x')
    run.claimKey(undefined, 'x')
    expect(() => run.claimKey('k', 'x')).toThrow('share the key "k"; give each its own')
    expect(() => run.claimKey('x_1', 'x')).toThrow('share the key "x_1"')
  })

  it('refuses a question inside a step, and not beside one', async () => {
    const run = new HandlerRun()
    const inside = run.step('s', async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return run.claimKey('k', 'x')
    })
    expect(run.claimKey('beside', 'x')).toBe('beside')
    await expect(inside).rejects.toThrow('inside the step "s"; ask before the step')
    await expect(run.step('t', () => new HandlerRun().claimKey('k', 'x'))).resolves.toBe('k')
  })
})
