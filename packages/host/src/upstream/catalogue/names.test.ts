import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignNames, distinctName, NAME_RULE, type Nameable, plainName } from './names.ts'

const tool = (server: string, ownName: string, rename?: string): Nameable => ({ server, kind: 'tool', ownName, rename })

describe('plainName', () => {
  it.each([
    [tool('git', 'log'), 'git_log'],
    [tool('my server', 'a.b/c'), 'my_server_a_b_c'],
    [tool('git', 'log', 'history'), 'history'],
    [{ server: 's', kind: 'resource', ownName: 'file:///a' } as const, 'file:///a'],
  ])('%o is %s', (item, name) => {
    expect(plainName(item)).toBe(name)
  })

  it('shortens long names with a hash that is the same every time', () => {
    const [a, b] = [tool('s', `${'x'.repeat(80)}1`), tool('s', `${'x'.repeat(80)}2`)]
    expect(plainName(a)).toMatch(NAME_RULE)
    expect(plainName(a)).toBe(plainName(a))
    expect(plainName(a)).not.toBe(plainName(b))
  })
})

describe('assignNames (sec-130)', () => {
  it('gives both of two that collide another name, and reports them', () => {
    const items = [tool('a', 'b_c'), tool('a_b', 'c'), tool('z', 'c')]
    const { names, collisions } = assignNames(items, new Set())
    expect(new Set(names.values()).size).toBe(3)
    expect([...names.values()]).not.toContain('a_b_c')
    expect(collisions).toMatchObject([{ name: 'a_b_c', items: [{ server: 'a' }, { server: 'a_b' }] }])
  })

  it('keeps a name that gave way when the other one is gone for a while', () => {
    const clashed = new Set<string>()
    const [one, other] = [tool('a', 'b_c'), tool('a_b', 'c')]
    const before = assignNames([one, other], clashed).names.get(one)
    expect(assignNames([one], clashed).names.get(one)).toBe(before)
  })

  it('tells resources that two servers share apart by server', () => {
    const items = ['a', 'b'].map((server): Nameable => ({ server, kind: 'resource', ownName: 'file:///x' }))
    expect([...assignNames(items, new Set()).names.values()]).toEqual(['portico:a/file:///x', 'portico:b/file:///x'])
  })

  it('sec-225: nobody gets the distinct name of another by being called so, and that is reported (host 6)', () => {
    const [one, two] = [tool('git_hub', 'search'), tool('git', 'hub_search')]
    for (const form of ['short', 'long'] as const) {
      const forged = tool('git', distinctName(one, form).slice('git_'.length))
      for (const items of [
        [one, two, forged],
        [forged, two, one],
      ]) {
        const { names, collisions } = assignNames(items, new Set())
        expect(names.get(one)).toBe(distinctName(one))
        expect(new Set(names.values()).size).toBe(3)
        expect(names.get(forged)).not.toBe(plainName(forged))
        expect(collisions.some(({ name }) => name === plainName(forged))).toBe(true)
      }
    }
  })

  it('sec-225: is unique whatever is forged upon what was given before (host 6)', () => {
    const servers = fc.constantFrom('a', 'a_b', 'a_b_c')
    const first = fc.record({ server: servers, ownName: fc.constantFrom('b_c_d', 'c_d', 'd', 'd.e', 'd e') })
    const steps = fc.array(fc.record({ server: servers, of: fc.nat(30), long: fc.boolean() }), { maxLength: 8 })
    fc.assert(
      fc.property(fc.array(first, { minLength: 2, maxLength: 6 }), steps, (start, forgeries) => {
        const items = start.map(({ server, ownName }) => tool(server, ownName))
        for (const { server, of, long } of forgeries) {
          const name = distinctName(items[of % items.length] as Nameable, long ? 'long' : 'short')
          if (name.startsWith(`${server}_`)) items.push(tool(server, name.slice(server.length + 1)))
        }
        const all = [...new Map(items.map((item) => [`${item.server}\n${item.ownName}`, item])).values()]
        const { names } = assignNames(all, new Set())
        expect(new Set(names.values()).size).toBe(all.length)
      }),
    )
  })

  it('is unique, by the rule, and independent of the order', () => {
    const name = fc.string({ maxLength: 40 })
    const anItem = fc.record({ server: name, ownName: name }).map(({ server, ownName }) => tool(server, ownName))
    const items = fc.uniqueArray(anItem, { selector: ({ server, ownName }) => `${server}\n${ownName}`, maxLength: 20 })
    fc.assert(
      fc.property(items, (all) => {
        const { names } = assignNames(all, new Set())
        const { names: turned } = assignNames([...all].reverse(), new Set())
        expect(new Set(names.values()).size).toBe(all.length)
        for (const item of all) {
          expect(names.get(item)).toMatch(NAME_RULE)
          expect(turned.get(item)).toBe(names.get(item))
        }
      }),
    )
  })
})
