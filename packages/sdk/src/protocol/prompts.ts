/** Prompts as data. Handlers live in `server/features/prompts.ts`. */

import type { ContentBlock, Icon, MetaObject, Role } from './content.ts'

/** One argument of a prompt. */
export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}

/** A prompt as a server lists it. */
export interface Prompt {
  name: string
  title?: string
  description?: string
  icons?: Icon[]
  arguments?: PromptArgument[]
  _meta?: MetaObject
}

/** One message of a prompt. */
export interface PromptMessage {
  role: Role
  content: ContentBlock
}

/** The messages that a prompt gives. */
export interface GetPromptResult {
  description?: string
  messages: PromptMessage[]
  _meta?: MetaObject
}

export interface ListPromptsResult {
  prompts: Prompt[]
  nextCursor?: string
  _meta?: MetaObject
}
