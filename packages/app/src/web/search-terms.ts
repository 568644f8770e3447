/** What people type into a search box: words, `key:value`, `-` for not, quotes around spaces. Read here, meant elsewhere. */

export interface SearchTerm {
  /** Absent for a plain word. */
  readonly key?: string
  readonly value: string
  readonly negated: boolean
}

const MAX_TERMS = 40
const MAX_CHARS = 2_000

export function readSearchTerms(text: string): SearchTerm[] {
  const terms: SearchTerm[] = []
  // A quote may stand before the word or after the colon; one without its partner is a character like any other.
  const pattern = /(-?)(?:([a-zA-Z]+):)?(?:"([^"]*)"|(\S+))/g
  for (const [, minus, key, quoted, word] of text.slice(0, MAX_CHARS).matchAll(pattern)) {
    const value = quoted ?? word ?? ''
    if (value === '' || terms.length >= MAX_TERMS) continue
    terms.push({ ...(key !== undefined && { key: key.toLowerCase() }), value, negated: minus === '-' })
  }
  return terms
}
