import { expect, it } from 'vitest'
import { createHostRule, type HostLists } from './host-rule.ts'

const NOT_ALLOWED = 'a.example is not among the hosts that may be reached (option allow).'
const DENIED = 'a.example is among the hosts that are not reached (option deny).'

it.each<[string, HostLists, string | undefined]>([
  ['no list', {}, undefined],
  ['an empty list', { allow: [] }, undefined],
  ['its own name', { allow: ['a.example'] }, undefined],
  ['a pattern in capitals', { allow: ['*.EXAMPLE'] }, undefined],
  ['another name', { allow: ['b.example'] }, NOT_ALLOWED],
  ['a name that it only ends in', { allow: ['example'] }, NOT_ALLOWED],
  ['a name that is denied', { deny: ['a.*'] }, DENIED],
  ['a name that is allowed and denied', { allow: ['a.example'], deny: ['a.example'] }, DENIED],
])('a host is judged by %s, however it is written (servers 6)', (_by, lists, why) => {
  const rule = createHostRule(lists, 'reached')
  for (const url of ['https://a.example/x', 'http://A.EXAMPLE.:81/']) expect(rule(new URL(url))).toBe(why)
})
