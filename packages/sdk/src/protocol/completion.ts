/** Argument completion as data: what is being completed, and what is proposed. */

import type { MetaObject } from './content.ts'

type CompletionReference = { type: 'ref/prompt'; name: string; title?: string } | { type: 'ref/resource'; uri: string }

/** What is being typed: the prompt or template, its argument, and the text so far. */
export interface CompleteParams {
  ref: CompletionReference
  argument: { name: string; value: string }
  /** Arguments already chosen (from 2025-06-18). */
  context?: { arguments?: { [name: string]: string } }
}

/** Proposals for what is being typed. */
export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean }
  _meta?: MetaObject
}

/** "Maximum 100 items per response" (completion, "Completion Results"). */
export const MAX_COMPLETIONS = 100
