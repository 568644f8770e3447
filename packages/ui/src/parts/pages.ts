/** A long text as pages that hold every character of it, so that nothing of it is out of reach. */

interface PageSize {
  readonly characters: number
  readonly lines: number
}

/** What fits on a screen without a box that scrolls by itself. */
export const PAGE_SIZE: PageSize = { characters: 3_000, lines: 40 }

/** Joined they are the text again. Pages end at the end of a line where there is one, and never within a character. */
export function toPages(text: string, size: PageSize = PAGE_SIZE): readonly string[] {
  const pages: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = endOfPage(text, start, size)
    pages.push(text.slice(start, end))
    start = end
  }
  return pages.length === 0 ? [''] : pages
}

function endOfPage(text: string, start: number, { characters, lines }: PageSize): number {
  const most = start + Math.max(2, characters)
  let end = start
  for (let line = 0; line < lines; line++) {
    const next = text.indexOf('\n', end)
    if (next === -1 || next >= most) {
      if (text.length <= most) return text.length
      // The line goes on past the page; one that began on it is kept whole, unless it is the only one.
      return end > start ? end : wholeCharacter(text, most)
    }
    end = next + 1
  }
  return end
}

function wholeCharacter(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') && /[\udc00-\udfff]/.test(text[end] ?? '') ? end - 1 : end
}
