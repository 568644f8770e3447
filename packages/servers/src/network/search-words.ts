/** The words of a search as they are looked for: in lower case, without a plural's end, and not too many. */

export function toWords(query: string): string[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return words.slice(0, MAX_WORDS).map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word))
}

const MAX_WORDS = 20
