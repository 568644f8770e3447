/** 2025-06-18 adds structured output, elicitation, resource links, titles and `_meta`; batches go. */

import { VOCABULARY_2025_03_26 } from './2025-03-26.ts'
import { defineRevision } from './assembly.ts'
import type { Vocabulary } from './vocabulary.ts'

export const VOCABULARY_2025_06_18: Vocabulary = {
  ...VOCABULARY_2025_03_26,
  batches: false,
  completionContext: true,
  structuredContent: true,
  elicitation: true,
  metadata: true,
  resourceLinks: true,
}

export const REVISION_2025_06_18 = defineRevision('2025-06-18', 'legacy', VOCABULARY_2025_06_18)
