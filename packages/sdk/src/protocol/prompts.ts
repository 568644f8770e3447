/** Prompts as data. Handlers live in `server/prompts.ts`. */

import type { ContentBlock, Icon, MetaObject, Role } from './content.ts'

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}

export interface Prompt {
  name: string
  title?: string
  description?: string
  icons?: Icon[]
  arguments?: PromptArgument[]
  _meta?: MetaObject
}

export interface PromptMessage {
  role: Role
  content: ContentBlock
}

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
