/** 2024-11-05, the first revision: the ground that the later ones build on. */

import { defineRevision } from './assembly.ts'
import type { Vocabulary } from './vocabulary.ts'

export const VOCABULARY_2024_11_05: Vocabulary = {
  // The revision itself is silent on batches; early clients send them because JSON-RPC has them.
  batches: true,
  errorsWithoutId: false,
  primedStreams: false,
  argumentErrors: 'rpc',
  progressMessage: false,
  completionsCapability: false,
  completionContext: false,
  structuredContent: false,
  anyStructuredContent: false,
  elicitation: false,
  urlElicitation: false,
  richForms: false,
  elicitationIds: false,
  samplingTools: false,
  samplingArrays: false,
  cacheHints: false,
  audio: false,
  toolAnnotations: false,
  metadata: false,
  resourceLinks: false,
  icons: false,
  rootsListChanged: true,
  coreTasks: false,
  extensions: false,
}

export const REVISION_2024_11_05 = defineRevision('2024-11-05', 'legacy', VOCABULARY_2024_11_05)
