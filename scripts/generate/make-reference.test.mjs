import { describe, expect, test } from 'vitest'
import { repositoryRoot } from '../report.mjs'
import { readDeclaration } from './declarations.mjs'
import { stalePages } from './make.mjs'
import { makeReference } from './make-reference.mjs'

test('the reference is what the sources make it (if not: node scripts/generate/make-docs.mjs)', () => {
  expect(stalePages(makeReference(repositoryRoot))).toEqual([])
})

test('every name of the SDK’s doors has a sentence (sdk 17)', () => {
  const pages = [...makeReference(repositoryRoot)].filter(([path]) => /^docs\/reference\/[\w-]+\.md$/.test(path))
  expect(pages.length).toBeGreaterThan(10)
  const silent = pages.flatMap(([, text]) => [...text.matchAll(/^### (.+)\n\n```typescript/gm)].map(([, name]) => name))
  expect(silent).toEqual([])
})

describe('a declaration is read without bodies and private members', () => {
  const source = `/** Adds. */
export function add(a: number, b: { c: string }): number {
  return a
}

export function pick<T>(
  list: readonly T[],
  options: { at?: number } = {},
): T | undefined {
  return list[0]
}

export function over(a: string): string
export function over(a: number): number
export function over(a: unknown): unknown {
  return a
}

/**
 * Counts
 * things.
 */
export class Counter<T> extends Thing {
  /** How many. */
  readonly size = 0
  readonly #secret = new Map<string, T>()
  static made: number

  constructor(start: number) {
    super()
  }

  /** One more. */
  add(
    item: T,
    options?: { deep: boolean },
  ): this {
    if (item) {
      return this
    }
    return this
  }

  get first(): T | undefined {
    return undefined
  }

  #hidden(): void {}
}

export function both(a: string): {
  readonly one: string
} {
  return { one: a }
}

export interface Shape {
  readonly sides: number
}

export type Either =
  | 'a'
  | { b: string }

export const LIMITS: Limits = { max: 1 }
`
  const cases = [
    ['add', 'function add(a: number, b: { c: string }): number'],
    ['pick', 'function pick<T>(\n  list: readonly T[],\n  options: { at?: number } = {},\n): T | undefined'],
    ['over', 'function over(a: string): string\nfunction over(a: number): number'],
    [
      'Counter',
      'class Counter<T> extends Thing {\n  /** How many. */\n  readonly size\n  static made: number\n  constructor(start: number)\n  /** One more. */\n  add(\n    item: T,\n    options?: { deep: boolean },\n  ): this\n  get first(): T | undefined\n}',
    ],
    ['both', 'function both(a: string): {\n  readonly one: string\n}'],
    ['Shape', 'interface Shape {\n  readonly sides: number\n}'],
    ['Either', "type Either =\n  | 'a'\n  | { b: string }"],
    ['LIMITS', 'const LIMITS: Limits = { max: 1 }'],
  ]
  test.each(cases)('%s', (name, code) => {
    expect(readDeclaration(source, name)?.code).toBe(code)
  })

  test('with its comment', () => {
    expect(readDeclaration(source, 'Counter')?.comment).toBe('Counts\nthings.')
    expect(readDeclaration(source, 'Nobody')).toBeUndefined()
  })
})
