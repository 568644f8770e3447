/** Newline framing: whatever the bytes and wherever they are cut, the same lines come out as in one piece. */

import fc from 'fast-check'
import { createLineDecoder } from '../../../packages/sdk/src/framing/lines.ts'
import { demand, opened, type Target } from '../target.ts'
import { anyText, inPieces, pieces } from '../words.ts'

const MAX_BYTES = 300

const encoder = new TextEncoder()

const bytes = fc
  .array(
    fc.oneof(
      anyText.map((text) => encoder.encode(text)),
      fc.uint8Array({ maxLength: 30 }),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\ufeff', '{"jsonrpc":"2.0"}').map((text) => encoder.encode(text)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])))

export const lines: Target = {
  name: 'lines',
  about: 'newline framing of pipes and sockets',
  open: () =>
    opened({
      arbitrary: inPieces(bytes),
      run(input) {
        const whole = decode([input.bytes])
        const cut = decode(pieces(input))
        demand(JSON.stringify(cut) === JSON.stringify(whole), 'the lines depend on where the bytes were cut')
        for (const line of whole) {
          demand(!line.includes('\n'), 'a line holds a newline')
          demand(line.startsWith('fault') || encoder.encode(line).length <= MAX_BYTES + 5, 'a line is beyond the bound')
        }
      },
    }),
}

function decode(chunks: Iterable<Uint8Array>): string[] {
  const found: string[] = []
  const decoder = createLineDecoder({
    maxBytes: MAX_BYTES,
    onLine: (text) => found.push(`line:${text}`),
    onFault: (kind) => found.push(`fault:${kind}`),
  })
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  return found
}
