/** Event streams: cut anywhere they say the same, and what was encoded comes out as it went in. */

import fc from 'fast-check'
import { createEventDecoder, encodeEvent, type IncomingEvent } from '../../../packages/sdk/src/framing/event-stream.ts'
import { PorticoError } from '../../../packages/sdk/src/jsonrpc/errors.ts'
import { demand, opened, type Target } from '../target.ts'
import { anyText, inPieces, pieces } from '../words.ts'

const encoder = new TextEncoder()

const line = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('data', 'id', 'event', 'retry', '', 'Data', 'dаta'),
      fc.constantFrom(':', ': ', ':  ', ''),
      anyText,
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('', '', ':', 'data', 'retry: 99999999999999999999', 'id: \u0000', '\ufeffdata: x'),
)

const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 20 })
  .chain((parts) =>
    fc
      .tuple(fc.constant(encoder.encode(parts.map((part) => part.join('')).join(''))), fc.uint8Array({ maxLength: 5 }))
      .map(([text, tail]) => Uint8Array.from([...text, ...tail])),
  )

const outgoing = fc.record(
  { data: anyText, id: anyText, event: anyText, retry: fc.integer() },
  { requiredKeys: ['data'] },
)

export const events: Target = {
  name: 'events',
  about: 'server-sent events',
  open: () =>
    opened({
      arbitrary: fc.tuple(inPieces(stream), outgoing),
      run([input, event]) {
        const whole = decode([input.bytes])
        demand(JSON.stringify(decode(pieces(input))) === JSON.stringify(whole), 'the events depend on the cuts')
        roundTrip(event)
      },
    }),
}

function roundTrip(event: { data: string; id?: string; event?: string; retry?: number }): void {
  let text: string
  try {
    text = encodeEvent(event)
  } catch (error) {
    // Names and ids with a line ending in them cannot be sent, and are refused by this side.
    demand(error instanceof PorticoError, `an error of no known kind: ${String(error)}`)
    return
  }
  const [first, ...more] = decode([encoder.encode(text)])
  const data = wellFormed(event.data.replace(/\r\n|\r/g, '\n'))
  demand(more.length === 0 && typeof first === 'object' && first.data === data, 'an event did not survive the way')
}

/** A lone surrogate has no bytes of its own. */
function wellFormed(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoder.encode(text))
}

function decode(chunks: Iterable<Uint8Array>): (IncomingEvent | string)[] {
  const found: (IncomingEvent | string)[] = []
  const decoder = createEventDecoder({
    maxEventBytes: 10_000,
    onEvent: (event) => found.push(event),
    onFault: (reason) => found.push(reason),
  })
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  return found
}
