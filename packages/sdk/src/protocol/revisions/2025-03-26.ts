/**
 * 2025-03-26 adds audio, hints on tools, messages in progress reports and the `completions` capability. It is the one
 * revision that asks for batches, which clients of the first send as well; their rule is in `jsonrpc/batch.ts`.
 */

import { VOCABULARY_2024_11_05 } from './2024-11-05.ts'
import { defineRevision } from './assembly.ts'
import type { Vocabulary } from './vocabulary.ts'

export const VOCABULARY_2025_03_26: Vocabulary = {
  ...VOCABULARY_2024_11_05,
  progressMessage: true,
  completionsCapability: true,
  audio: true,
  toolAnnotations: true,
}

export const REVISION_2025_03_26 = defineRevision('2025-03-26', 'legacy', VOCABULARY_2025_03_26)
