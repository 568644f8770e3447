/**
 * What a typed client gets from a tool without `output`, worked out from what its handler returns: text for whatever is shown
 * as text, the value as JSON carries it for an object, the whole result where there is more than text in it. For the compiler
 * only; `tool-result.ts` does at run time what this says.
 */

import type { ContentBlock, TextContent } from '../protocol/content.ts'
import type { CallToolResult } from '../protocol/tools.ts'

/** From the handler's return type to what `client.tools.<name>()` gives. */
export type ToolAnswer<Returned> = AnswerFor<Awaited<Returned>>

type AnswerFor<Value> = unknown extends Value
  ? unknown
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing has the return type void
    Value extends string | number | boolean | null | undefined | void
    ? string
    : Value extends ContentBlock
      ? AnswerOfBlocks<Value>
      : Value extends { readonly content: readonly ContentBlock[] }
        ? AnswerOfResult<Value>
        : Value extends readonly (infer Item)[]
          ? AnswerOfArray<Value, Item>
          : Value extends PerhapsBlock | { readonly content: readonly PerhapsBlock[] }
            ? unknown
            : AsJson<Value>

/** A literal whose `type` the compiler remembers only as some text: a block by `text()`, `image()` and so on says which it is. */
type PerhapsBlock = { readonly type: string } & (
  | { readonly text: unknown }
  | { readonly data: unknown }
  | { readonly uri: unknown }
  | { readonly resource: unknown }
)

type AnswerOfBlocks<Block> = [Block] extends [TextContent]
  ? string
  : Extract<Block, TextContent> extends never
    ? CallToolResult
    : string | CallToolResult

type AnswerOfResult<Result extends { readonly content: readonly ContentBlock[] }> = Result extends {
  readonly structuredContent: infer Value
}
  ? AsJson<Value>
  : 'structuredContent' extends keyof Result
    ? unknown
    : AnswerOfBlocks<Result['content'][number]>

type AnswerOfArray<List, Item> = unknown extends Item
  ? unknown
  : [Item] extends [ContentBlock]
    ? AnswerOfBlocks<Item>
    : [Extract<Item, PerhapsBlock>] extends [never]
      ? AsJson<List>
      : unknown

/** A value after it was JSON: dates are text, functions are gone. */
type AsJson<Value> = unknown extends Value
  ? unknown
  : Value extends string | number | boolean | null | undefined
    ? Value
    : Value extends { toJSON(): infer Written }
      ? AsJson<Written>
      : Value extends Unwritten
        ? never
        : Value extends readonly unknown[]
          ? { [Index in keyof Value]: AsJson<Value[Index]> }
          : { [Key in keyof Value as Value[Key] extends Unwritten ? never : Key]: AsJson<Value[Key]> }

type Unwritten = ((...args: never) => unknown) | symbol
