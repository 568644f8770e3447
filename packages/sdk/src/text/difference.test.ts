import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DifferenceRun, differenceOf } from './difference.ts'

const show = (runs: readonly DifferenceRun[]) =>
  runs.map(({ kind, parts }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${parts.join('')}`)
const compare = (before: string, after: string, maxCells?: number) =>
  show(differenceOf([...before], [...after], maxCells))

describe('the difference of two texts', () => {
  it.each([
    ['nothing', '', '', []],
    ['equal ones', 'abc', 'abc', [' abc']],
    ['one part replaced', 'abc', 'axc', [' a', '-b', '+x', ' c']],
    ['one that came', 'ac', 'abc', [' a', '+b', ' c']],
    ['one that went', 'abc', 'ac', [' a', '-b', ' c']],
    ['parts in between that stayed', 'abcd', 'bce', ['-a', ' bc', '-d', '+e']],
    ['equal parts around', 'aa', 'aaa', [' aa', '+a']],
  ])('of %s', (_what, before, after, runs) => expect(compare(before, after)).toEqual(runs))

  it.each([
    [5, ['-abcd', '+bce']],
    [12, ['-a', ' bc', '-d', '+e']],
  ])('beyond its bound of %d cells all went and came', (maxCells, runs) => {
    expect(compare('abcd', 'bce', maxCells)).toEqual(runs)
  })

  it('gives both texts back, in runs that are no longer than they have to be', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'))
    fc.assert(
      fc.property(text, text, fc.nat(60), (before, after, maxCells) => {
        const runs = differenceOf(before, after, maxCells)
        const without = (left: DifferenceRun['kind']) => runs.flatMap(({ kind, parts }) => (kind === left ? [] : parts))
        expect(without('added')).toEqual(before)
        expect(without('removed')).toEqual(after)
        for (const [at, { kind, parts }] of runs.entries()) {
          expect(parts.length).toBeGreaterThan(0)
          expect(runs[at + 1]?.kind).not.toBe(kind)
        }
      }),
    )
  })
})
