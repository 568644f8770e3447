/**
 * What a revision can say, as facts. Each revision module states them as the difference to its predecessor; the writers
 * beside this file (`content-blocks.ts`, `definitions.ts`, …) are made once from the facts and leave out or reword the rest.
 */

import type { Revision, RevisionTraits } from '../revision.ts'

/** The extension for tasks of 2026-07-28, under which both sides declare it. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
/** In `_meta` of everything that belongs to a task of 2025-11-25. */
export const META_RELATED_TASK = 'io.modelcontextprotocol/related-task'

export interface Vocabulary extends RevisionTraits {
  /** Audio blocks. */
  readonly audio: boolean
  /** Hints on tools (`readOnlyHint` and so on). */
  readonly toolAnnotations: boolean
  /** `title` and `_meta` on things, `lastModified` in annotations. */
  readonly metadata: boolean
  readonly resourceLinks: boolean
  /** `structuredContent` and `outputSchema` may be of any type, not objects alone. */
  readonly anyStructuredContent: boolean
  /** Icons, and `description` and `websiteUrl` of an implementation. */
  readonly icons: boolean
  /** URL elicitations are numbered by `elicitationId`. */
  readonly elicitationIds: boolean
  /** Several blocks in one sampling message, and `_meta` on it. */
  readonly samplingArrays: boolean
  /** The client's `roots` capability may carry `listChanged`. */
  readonly rootsListChanged: boolean
  /** The core `tasks` capability. */
  readonly coreTasks: boolean
  /** Extensions are negotiated by capability. */
  readonly extensions: boolean
}

/** All that a revision can say; code above this folder is shown the traits alone. */
export function vocabularyOf({ traits }: Revision): Vocabulary {
  // `assembly.ts`, which makes every revision, gives it its whole vocabulary for traits.
  return traits as Vocabulary
}
