/** The inputs of `work.ts` in Zod, which the documentation of every peer uses. */

import { z } from 'zod'

export const numbers = { a: z.number(), b: z.number() }
export const size = { size: z.number().int() }
export const count = { count: z.number().int() }
export const query = {
  query: z.string().describe('Words to look for'),
  limit: z.number().int().min(1).max(100).optional().describe('How many to return at most'),
  recent: z.boolean().optional().describe('Newest first'),
  tags: z.array(z.string()).optional().describe('Only entries with all of these tags'),
}
