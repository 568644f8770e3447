import { describe, expect, it } from 'vitest'
import { BatchReply, batchFault } from './batch.ts'

describe('the answers to a batch', () => {
  it('are delivered once, when it was read and the last of them is there', () => {
    const delivered: (readonly string[])[] = []
    const reply = new BatchReply((texts) => delivered.push(texts))
    reply.expect()
    reply.expect()
    reply.add('fault')
    reply.answered('first')
    reply.seal()
    expect(delivered).toEqual([])
    reply.answered(undefined)
    expect(delivered).toEqual([['fault', 'first']])
  })

  it('are none for a batch of notices alone', () => {
    const delivered: (readonly string[])[] = []
    new BatchReply((texts) => delivered.push(texts)).seal()
    expect(delivered).toEqual([[]])
  })
})

describe('a batch', () => {
  it.each([
    ['passes at its limit', true, 3, undefined],
    ['beyond its limit does not', true, 4, 'maxBatch (3) exceeded'],
    ['without a message does not', true, 0, 'the batch is empty'],
    ['that was not agreed on does not', false, 1, 'batches are not part of this protocol revision'],
  ])('%s', (_what, isAgreed, count, fault) => {
    expect(batchFault(Array(count).fill({}), isAgreed, 3)).toBe(fault)
  })
})
