import { describe, expect, it, vi } from 'vitest'
import { Registry } from './registry.ts'

describe('Registry', () => {
  it('keeps the order of adding, also when an item is replaced', () => {
    const registry = new Registry<number>('thing')
    registry.add('a', 1)
    registry.add('b', 2)
    registry.replace('a', 3)
    expect([...registry.entries()]).toEqual([
      ['a', 3],
      ['b', 2],
    ])
  })

  it('refuses a second item under the same key, but not one that was removed', () => {
    const registry = new Registry<number>('thing')
    registry.add('a', 1)
    expect(() => registry.add('a', 2)).toThrow('There is a thing "a" already')
    expect(registry.get('a')).toBe(1)
    expect(registry.remove('a')).toBe(true)
    registry.add('a', 2)
    expect(registry.get('a')).toBe(2)
  })

  it('takes names that every object has', () => {
    const registry = new Registry<number>('thing')
    expect(registry.get('constructor')).toBeUndefined()
    registry.add('__proto__', 1)
    expect(registry.get('__proto__')).toBe(1)
  })

  it('tells its watchers of every change, until they stop', () => {
    const registry = new Registry<number>('thing')
    const watcher = vi.fn()
    const stop = registry.watch(watcher)
    registry.add('a', 1)
    registry.replace('a', 2)
    registry.remove('a')
    registry.remove('a')
    expect(watcher).toHaveBeenCalledTimes(3)
    stop()
    registry.add('b', 1)
    expect(watcher).toHaveBeenCalledTimes(3)
  })

  it('stays declared while it is empty', () => {
    const registry = new Registry<number>('thing')
    expect(registry.declared).toBe(false)
    registry.add('a', 1)
    registry.remove('a')
    expect([registry.declared, registry.size]).toEqual([true, 0])
  })

  it('gives places that rise and are never given twice', () => {
    const registry = new Registry<number>('thing')
    registry.add('a', 1)
    registry.add('b', 2)
    const [a, b] = [registry.placeOf('a'), registry.placeOf('b')]
    expect(b).toBeGreaterThan(a)
    registry.replace('a', 3)
    expect(registry.placeOf('a')).toBe(a)
    registry.remove('a')
    registry.add('a', 4)
    expect(registry.placeOf('a')).toBeGreaterThan(b)
    expect(registry.placeOf('nobody')).toBe(0)
  })
})
