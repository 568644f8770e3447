/** The bounds of the knowledge server: options fall back to these, and messages name the option that moves them. */

export interface KnowledgeLimits {
  /** Size of one file. */
  readonly maxFileBytes: number
  /** How many files are indexed. */
  readonly maxFiles: number
  /** Different words of one file: each of them is kept in the index. */
  readonly maxWords: number
  /** Text of all files together: it is kept in memory. */
  readonly maxTotalBytes: number
  /** How long the text of one HTML, PDF or Word file may take. */
  readonly extractTimeoutMs: number
}

export const KNOWLEDGE_LIMITS: KnowledgeLimits = {
  maxFileBytes: 10 * 1024 * 1024,
  maxFiles: 5000,
  maxWords: 200_000,
  maxTotalBytes: 100 * 1024 * 1024,
  extractTimeoutMs: 20_000,
}

export const EXTENSIONS: readonly string[] = ['md', 'markdown', 'txt', 'text', 'rst', 'html', 'htm', 'pdf', 'docx']

/** Folders within folders. */
export const MAX_DEPTH = 32
