import { expect, test } from 'vitest'
import { WebStreamWriter } from './fetch-stream.ts'

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
