/** Parts that the descriptions of several tools share. */

export const PATH = {
  type: 'string',
  description: 'Absolute, or in the only directory',
} as const
export const NEXT_CURSOR = {
  type: 'string',
  description: 'Give this as cursor for the next page; absent on the last',
} as const
export const READS = { readOnly: true, idempotent: true, openWorld: false } as const
export const KIND = { enum: ['file', 'directory', 'link', 'other'], description: 'What it is' } as const
export const WHERE = { type: 'string', description: 'Where to look; everywhere unless given' } as const
export const NOTICE = { type: 'string', description: 'What was left out, and how to have it' } as const
