/**
 * The last lines a child wrote to stderr. It is read all the time, so that a chatty child never blocks on it, and kept
 * within bounds; it is for people, not a sign of failure (sec-40).
 */

export interface LineTail {
  push(chunk: Uint8Array): void
  /** The bytes have ended: what is left counts as the last line. */
  end(): void
  toString(): string
}

const LINE_LENGTH = 4096

export function createLineTail(maxLines: number, onLine: (line: string) => void): LineTail {
  const decoder = new TextDecoder()
  const lines: string[] = []
  let next = 0
  let partial = ''

  const add = (line: string): void => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (maxLines > 0) {
      lines[next] = text
      next = (next + 1) % maxLines
    }
    onLine(text)
  }
  const take = (text: string): void => {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      add((partial + text.slice(start, end)).slice(0, LINE_LENGTH))
      partial = ''
      start = end + 1
    }
    if (partial.length < LINE_LENGTH) partial = (partial + text.slice(start)).slice(0, LINE_LENGTH)
  }
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode())
      if (partial !== '') add(partial)
      partial = ''
    },
    toString: () => [...lines.slice(next), ...lines.slice(0, next)].join('\n'),
  }
}

const MAX_LAST_WORDS = 300

/** The line that names an error, which stands above a stack and whatever a runtime adds below; else the last one. */
export function lastWords(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const named = lines.findLast(
    (line) => /^(?:Uncaught )?[\w.$]*(?:Error|Exception|error|fatal|panic)\b/.test(line) && /: ?\S/.test(line),
  )
  // It goes into messages that may be printed as they are.
  return (named ?? lines.at(-1) ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, MAX_LAST_WORDS)
}
