/** The bounds of the memory server: options fall back to these, and messages name the option that moves them. */

export interface MemoryLimits {
  /** Things that one user may have remembered. */
  readonly maxEntities: number
  /** Facts about one thing. */
  readonly maxFacts: number
  /** Relations that one user may have. */
  readonly maxRelations: number
  /** Characters of one fact. */
  readonly maxFactLength: number
}

export const MEMORY_LIMITS: MemoryLimits = {
  maxEntities: 10_000,
  maxFacts: 200,
  maxRelations: 20_000,
  maxFactLength: 2000,
}

export const MAX_NAME_LENGTH = 200
/** Relations that are told about one thing at a time. */
export const MAX_TOLD_RELATIONS = 100
