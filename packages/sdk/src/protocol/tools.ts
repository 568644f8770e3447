/** Tools as data: what a list shows of one, what a call carries, what it answers. Handlers live in `server/features/tools.ts`. */

import type { JsonObject } from '../jsonrpc/message.ts'
import type { ContentBlock, Icon, MetaObject } from './content.ts'

/** Hints on what a tool does to the world. */
export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** A tool as a server lists it. */
export interface Tool {
  name: string
  title?: string
  description?: string
  icons?: Icon[]
  inputSchema: JsonObject
  outputSchema?: JsonObject
  annotations?: ToolAnnotations
  /** Whether its calls may be tasks of 2025-11-25; no other revision shows it. */
  execution?: { taskSupport?: 'required' | 'optional' | 'forbidden' }
  _meta?: MetaObject
}

/** The whole result of a tool: content for a model, structured content for a program, and whether it failed. */
export interface CallToolResult {
  content: ContentBlock[]
  /** Any JSON value on the newest revision; older ones see an object (`{ result }` around anything else). */
  structuredContent?: unknown
  isError?: boolean
  _meta?: MetaObject
}

/** In the `_meta` of a result whose value stands in `{ result }` only because the revision asks for an object. */
export const WRAPPED_VALUE = 'portico/wrapped-value'

export interface ListToolsResult {
  tools: Tool[]
  nextCursor?: string
  _meta?: MetaObject
}
