/** 2026-07-28 carries everything in each request, allows any structured output and negotiates extensions. */

import { VOCABULARY_2025_11_25 } from './2025-11-25.ts'
import { defineRevision } from './assembly.ts'
import type { Vocabulary } from './vocabulary.ts'

const VOCABULARY_2026_07_28: Vocabulary = {
  ...VOCABULARY_2025_11_25,
  anyStructuredContent: true,
  cacheHints: true,
  elicitationIds: false,
  rootsListChanged: false,
  primedStreams: false,
  coreTasks: false,
  extensions: true,
}

export const REVISION_2026_07_28 = defineRevision('2026-07-28', 'modern', VOCABULARY_2026_07_28)
