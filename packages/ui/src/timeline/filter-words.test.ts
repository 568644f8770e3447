import { expect, it } from 'vitest'
import { proposalsFor } from './filter-words.ts'

it.each([
  ['', 'method:'],
  ['st', 'status:'],
  ['status:', 'status:error'],
  ['method:tools/call status:e', 'method:tools/call status:error'],
  ['server:f', 'server:files'],
  ['-ki', '-kind:'],
])('after %j may come %j', (typed, proposal) => expect(proposalsFor(typed, ['files', 'sql'])).toContain(proposal))

it.each(['hello ', 'status:ok', '"tools ', 'unheard:of'])('nothing is proposed after %j', (typed) => {
  expect(proposalsFor(typed, ['files'])).toEqual([])
})
