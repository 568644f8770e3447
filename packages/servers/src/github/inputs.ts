/** The inputs that the tools of the github server share. */

import { START_INPUT } from '../vendor/vendor-host.ts'

export const REPOSITORY_INPUT = {
  owner: { type: 'string', minLength: 1, maxLength: 100, description: 'Who owns the repository' },
  repo: { type: 'string', minLength: 1, maxLength: 100, description: 'Its name' },
} as const

export const NUMBER_INPUT = {
  type: 'integer',
  minimum: 1,
  description: 'The number of the issue or pull request',
} as const

export const PAGE_INPUT = {
  page: { type: 'integer', minimum: 1, maximum: 1000, default: 1, description: 'Which page of the list' },
  start: START_INPUT,
} as const

export const STATE_INPUT = { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' } as const

export const BODY_INPUT = { type: 'string', maxLength: 60_000, description: 'The text, in Markdown' } as const

/** How many rows a list has. */
export const PER_PAGE = 30
