import { describe, expect, it } from 'vitest'
import {
  isFullResult,
  result,
  stripMark,
  ToolError,
  toErrorResult,
  toStructuredResult,
  toToolResult,
} from './tool-result.ts'

const text = (value: string) => ({ type: 'text' as const, text: value })

describe('toToolResult', () => {
  it.each([
    ['a string', 'x', { content: [text('x')] }],
    ['an empty string', '', { content: [text('')] }],
    ['nothing', undefined, { content: [] }],
    ['null', null, { content: [] }],
    ['a number', 5, { content: [text('5')] }],
    ['a boolean', false, { content: [text('false')] }],
    ['a block', text('x'), { content: [text('x')] }],
    ['blocks', [text('x'), text('y')], { content: [text('x'), text('y')] }],
    ['an empty array', [], { content: [text('[]')], structuredContent: [] }],
    ['an array of other things', [1], { content: [text('[1]')], structuredContent: [1] }],
    ['an object', { a: 1 }, { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
    ['a result', { content: [text('x')], isError: true }, { content: [text('x')], isError: true }],
    [
      'an object whose content is no content',
      { content: ['x'] },
      { content: [text('{"content":["x"]}')], structuredContent: { content: ['x'] } },
    ],
    [
      'a type that every object has',
      { type: 'constructor' },
      { content: [text('{"type":"constructor"}')], structuredContent: { type: 'constructor' } },
    ],
    [
      'a block without its member',
      { type: 'text' },
      { content: [text('{"type":"text"}')], structuredContent: { type: 'text' } },
    ],
  ])('makes a result of %s', (_, value, expected) => {
    expect(toToolResult(value)).toEqual(expected)
  })

  it('takes a marked result whole, without the mark', () => {
    const full = result({ content: [text('x')], _meta: { a: 1 } })
    expect(isFullResult(full)).toBe(true)
    expect(toToolResult(full)).toEqual({ content: [text('x')], _meta: { a: 1 } })
    expect(Object.getOwnPropertySymbols(stripMark(full))).toEqual([])
  })
})

describe('toStructuredResult', () => {
  it('has a text even where JSON has none', () => {
    expect(toStructuredResult(undefined).content).toEqual([text('null')])
  })
})

describe('ToolError', () => {
  it('becomes a result that says what went wrong', () => {
    expect(toErrorResult(new ToolError('no'))).toEqual({ content: [text('no')], isError: true })
    expect(toErrorResult(new ToolError('no', { content: [text('in detail')] }))).toEqual({
      content: [text('no'), text('in detail')],
      isError: true,
    })
    expect(new ToolError('no', { cause: 'why' })).toMatchObject({ code: 'tool-error', cause: 'why' })
  })
})
