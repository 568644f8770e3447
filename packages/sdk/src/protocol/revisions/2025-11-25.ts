/** 2025-11-25 adds icons, rich forms, elicitation by URL and sampling with tools; bad arguments become results. */

import { VOCABULARY_2025_06_18 } from './2025-06-18.ts'
import { defineRevision } from './assembly.ts'
import type { Vocabulary } from './vocabulary.ts'

export const VOCABULARY_2025_11_25: Vocabulary = {
  ...VOCABULARY_2025_06_18,
  argumentErrors: 'result',
  errorsWithoutId: true,
  primedStreams: true,
  icons: true,
  urlElicitation: true,
  richForms: true,
  elicitationIds: true,
  samplingTools: true,
  samplingArrays: true,
  coreTasks: true,
}

export const REVISION_2025_11_25 = defineRevision('2025-11-25', 'legacy', VOCABULARY_2025_11_25)
