/** Breaks lines between words. A command between backticks stays whole where a line has room for it: it is there to be copied. */

/** Lines keep their indentation. A word that is longer than a line stays whole. */
export function wrapWords(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => {
      const [indent = ''] = /^ */.exec(line) ?? []
      const lines: string[] = []
      for (const word of toWords(line.slice(indent.length), columns - indent.length)) {
        const last = lines.at(-1)
        if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`
        else lines.push(indent + word)
      }
      return lines.join('\n')
    })
    .join('\n')
}

/** Words and what stands after a closing backtick stay together. */
function toWords(text: string, room: number): string[] {
  return text.split(/((?:^|(?<= ))\S*`[^`]+`\S*)/).flatMap((piece) => {
    const isWhole = piece.includes('`') && piece.length <= room
    return isWhole ? [piece] : piece.split(' ').filter((word) => word !== '')
  })
}
