import { expect, test } from 'vitest'
import type { HttpAnswer, HttpCall } from '../transport/http-client/http-client.ts'
import { ResumableStream } from './resumable-stream.ts'

/** Reads the text as the whole of a stream. */
function read(text: string): ResumableStream {
  const stream = new ResumableStream({ message() {}, fault() {}, ended() {} })
  const answer = {
    read: ({ data, end }: Parameters<HttpAnswer['read']>[0]) => {
      data(new TextEncoder().encode(text))
      end(undefined)
    },
  }
  // Of an answer and a call, nothing else is used before the stream has gone silent.
  stream.read(answer as HttpAnswer, {} as HttpCall, undefined, 1_000_000)
  return stream
}

test.each([
  ['short', 'e1', 'e1'],
  ['as long as it may be', 'x'.repeat(4_096), 'x'.repeat(4_096)],
  // Cut to what fits it would name another event.
  ['longer', 'x'.repeat(4_097), ''],
])('sdk 17: a stream is taken up again after an event whose id is whole: %s', (_, id, kept) => {
  expect(read(`id: ${id}\ndata: a\n\n`).lastEventId).toBe(kept)
})

test('sdk 17: after an id that is too long, an earlier one does not count: what came since would come twice', () => {
  expect(read(`id: e1\ndata: a\n\nid: ${'x'.repeat(5_000)}\ndata: b\n\n`).lastEventId).toBe('')
  expect(read(`id: ${'x'.repeat(5_000)}\ndata: a\n\nid: e2\ndata: b\n\n`).lastEventId).toBe('e2')
})
