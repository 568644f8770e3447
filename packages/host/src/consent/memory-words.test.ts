import { expect, it } from 'vitest'
import type { Effect } from '../policy/effect.ts'
import { memoryWords } from './memory-words.ts'

const wordsFor = (effect: Effect, workspace?: string) =>
  memoryWords({
    body: { kind: 'approval', effect, reason: '', warnings: [] },
    ...(workspace !== undefined && { workspace }),
  })
const CONNECT = { kind: 'connect', server: 's', shown: 'node x', fingerprint: 'f' } as const

it.each<[string, Effect, string]>([
  [
    'a program: where it is started',
    { ...CONNECT, local: true, folder: '/home/me/a' },
    'in this folder: /home/me/a, for exactly this command',
  ],
  ['an address: wherever', { ...CONNECT, local: false }, 'for exactly this address'],
  [
    'a tool: as it is now',
    { kind: 'call', server: 's', tool: 't', arguments: {}, trusted: false },
    'in every folder, until the tool changes',
  ],
  [
    'a prompt: as it is now',
    { kind: 'prompt', server: 's', prompt: 'p', arguments: {} },
    'in every folder, until the prompt changes',
  ],
  ['a resource', { kind: 'read', server: 's', uri: 'a:b' }, 'in every folder, until you take it back'],
])('always, for %s (first hour H1)', (_what, effect, always) => {
  expect(wordsFor(effect)?.always).toBe(always)
})

it('the other ways, and none for questions whose answer is not remembered', () => {
  expect(wordsFor({ kind: 'read', server: 's', uri: 'a:b' }, '/home/me/a')).toMatchObject({
    once: 'for this one time',
    session: 'until this session ends',
    workspace: 'while you work in this folder: /home/me/a',
  })
  expect(memoryWords({ body: { kind: 'roots', offered: [] } })).toBeUndefined()
})
