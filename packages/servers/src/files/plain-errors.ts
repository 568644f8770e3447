/**
 * The last word on what the file system refuses: whatever a tool did not foresee (a folder that went away between two steps)
 * is still said in plain words, by whichever tool.
 */

import { type ToolDefinition, ToolError } from '@portico/sdk/server'
import { toPathError } from './anchor.ts'

export function withPlainErrors<Tools extends { readonly [name: string]: ToolDefinition }>(tools: Tools): Tools {
  const plain = Object.entries(tools).map(([name, tool]) => {
    // Whatever a handler takes is handed on as it came.
    const handler = tool.handler as (args: unknown, ctx: unknown) => unknown
    return [
      name,
      { ...tool, handler: (args: unknown, ctx: unknown) => inPlainWords(() => handler(args, ctx)) },
    ] as const
  })
  // The same names with the same kinds of members.
  return Object.fromEntries(plain) as unknown as Tools
}

/** Runs an action of the file system; an error of the system becomes what a person would say. */
export async function inPlainWords<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw CHANGED.has(codeOf(error)) ? new ToolError(SAID, { cause: error }) : toPathError(error, 'this place')
  }
}

/** The path of such an error is not repeated: it may be that of a link's end. */
const SAID = 'A file or directory of this call was moved, replaced or removed meanwhile. Try again'
const CHANGED: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENOTEMPTY', 'EEXIST', 'EINVAL'])

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
