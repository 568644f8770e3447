import { afterEach, expect, test, vi } from 'vitest'
import { Sending } from '../../framing/sending.ts'
import { WebStreamWriter } from './fetch-stream.ts'

afterEach(() => void vi.useRealTimers())

const SIZE = 64 * 1024

function createWriter() {
  const seen: string[] = []
  const writer = new WebStreamWriter(() => seen.push('end'))
  writer.open({ drained: () => {}, closed: () => seen.push('close') })
  writer.onCancel(() => seen.push('cancel'))
  return { writer, seen }
}

test('a reader that cancels is reported once, and what is done then or later does not throw', async () => {
  const { writer, seen } = createWriter()
  // What the exchange does when it hears that its client is gone.
  writer.onCancel(() => writer.abandon())
  await writer.readable.cancel()
  expect(seen).toEqual(['cancel', 'close'])
  expect(writer.write('more')).toBe(true)
  writer.end()
  writer.abort()
  expect(seen).toEqual(['cancel', 'close'])
})

test('a stream whose client is gone ends without an error for the platform to report', async () => {
  const { writer, seen } = createWriter()
  writer.write('first')
  writer.abandon()
  writer.abandon()
  expect(await new Response(writer.readable).text()).toBe('first')
  expect(seen).toEqual(['close'])
})

test('a reader that is too slow loses the connection', async () => {
  const { writer, seen } = createWriter()
  writer.write('first')
  writer.abort()
  await expect(new Response(writer.readable).text()).rejects.toThrow('too slow')
  expect(seen).toEqual(['cancel', 'close'])
})

/** Four chunks that wait, behind which the stream is to end. */
function createRest() {
  vi.useFakeTimers()
  const sending = new Sending({ maxSendingBytes: 5 * SIZE, maxSendingBytesPerPeer: 5 * SIZE }, 'reader')
  const writer = new WebStreamWriter(() => {}, { sending, stalledMs: 1000 })
  writer.open({ drained: () => {}, closed: () => {} })
  for (let at = 0; at < 4; at++) writer.write('x'.repeat(SIZE))
  writer.end()
  const reader = writer.readable.getReader()
  const outcome: unknown[] = []
  reader.closed.then(
    () => outcome.push('closed'),
    (error: Error) => outcome.push(error.message),
  )
  return { reader, outcome }
}

test('sec-713: the rest of a stream is there for as long as its reader takes some of it, however slowly', async () => {
  const { reader, outcome } = createRest()
  let size = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(size).toBe(4 * SIZE)
  await reader.closed
  expect(outcome).toEqual(['closed'])
})

test('a reader that stops before the end is dropped, after a time that what waits explains', async () => {
  const { outcome } = createRest()
  await vi.advanceTimersByTimeAsync(1000 + 4 * 64 - 1)
  expect(outcome).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(outcome).toEqual(['The reader is too slow'])
})
