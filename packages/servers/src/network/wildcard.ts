/** Names with `*` in them, as options give them. Matched in linear steps per star: a pattern cannot be made slow. */

export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0
  let to = 0
  let star = -1
  let resume = 0
  while (to < text.length) {
    if (pattern[at] === '*') {
      star = at++
      resume = to
    } else if (pattern[at] === text[to]) {
      at++
      to++
    } else if (star >= 0) {
      at = star + 1
      to = ++resume
    } else {
      return false
    }
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
