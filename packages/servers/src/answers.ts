/**
 * How the ready-made servers answer: a thing is said once. Models read text, so a tool that comes to a value gives it as
 * compact lines, without a second copy for programs and without a schema of it in the list of tools. Whoever writes programs
 * against a server asks for both with the option `structured`.
 */

import { type CallToolResult, result, type ToolDefinition } from '@portico/sdk/server'
import { requireWellFormed } from './text/well-formed.ts'
import { toWords } from './text/words.ts'

/** How a server answers. */
export interface AnswerOptions {
  /** Gives results as values for programs too, and their schemas in the list of tools. Off by default. */
  readonly structured?: boolean | undefined
}

/** The tools as they are, or without what only programs read. */
export function toAnswers<Tools extends { readonly [name: string]: ToolDefinition }>(
  tools: Tools,
  options: AnswerOptions,
): Tools {
  const lean = Object.entries(tools).map(([name, tool]) => [name, toAnswer(name, tool, options)] as const)
  // The same names with the same kinds of members; what differs is in no type of theirs.
  return Object.fromEntries(lean) as unknown as Tools
}

/** The same for one tool. */
export function toAnswer(name: string, given: ToolDefinition, { structured = false }: AnswerOptions): ToolDefinition {
  const tool = withWholeText(given)
  return structured ? tool : withoutRepetition(name, withoutStructure(tool))
}

/** The tool for text that can be stored as it is, and no other. */
export function withWholeText(tool: ToolDefinition): ToolDefinition {
  // Whatever a handler takes is handed on as it came.
  const handler = tool.handler as (args: unknown, ctx: unknown) => unknown
  const checked = (args: unknown, ctx: unknown): unknown => {
    requireWellFormed(args)
    return handler(args, ctx)
  }
  return { ...tool, handler: checked }
}

/** A title that only spells the name, hints that say what holds without them, and those that a reading tool has no use for. */
function withoutRepetition(name: string, tool: ToolDefinition): ToolDefinition {
  const { title, readOnly, idempotent, destructive, openWorld, ...options } = tool.options
  const spelled = title
    ?.toLowerCase()
    .replace(/\b(?:an?|the) /g, '')
    .replaceAll(' ', '_')
  return {
    ...tool,
    options: {
      ...options,
      ...(title !== undefined && spelled !== name && { title }),
      ...(readOnly === true ? { readOnly } : { destructive, ...(idempotent === true && { idempotent }) }),
      ...(openWorld === false && { openWorld }),
    },
  }
}

function withoutStructure(tool: ToolDefinition): ToolDefinition {
  const { output, ...options } = tool.options
  if (output === undefined) return tool
  // Whatever a handler takes is handed on as it came.
  const handler = tool.handler as (args: unknown, ctx: unknown) => unknown
  return { ...tool, options, handler: async (args: unknown, ctx: unknown) => toText(await handler(args, ctx)) }
}

function toText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!('content' in value && Array.isArray(value.content))) return toWords(value)
  const { structuredContent: _, ...shown } = value as unknown as CallToolResult
  return result(shown)
}
