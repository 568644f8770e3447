import { createInbox, type QuestionBody } from '@portico/host/consent'
import { DEFAULTS } from '@portico/host/policy'
import { afterEach, expect, test } from 'vitest'
import { createByHand } from './answer-by-hand.ts'

type Effect = (QuestionBody & { kind: 'approval' })['effect']

const CALL: Effect = { kind: 'call', server: 'git', tool: 'push', arguments: {}, trusted: false }
const READ: Effect = { kind: 'read', server: 'git', uri: 'git://log' }
const PROMPT: Effect = { kind: 'prompt', server: 'git', prompt: 'review', arguments: {} }
const FLOW: Effect = { kind: 'flow', server: 'git', from: ['mail'], tool: 'push', arguments: {} }
const ROOT: Effect = { kind: 'root', server: 'git', uri: 'file:///home' }

const inboxes: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(inboxes.splice(0).map((inbox) => inbox.close()))
})

async function answered(effect: Effect, more: Partial<QuestionBody & { kind: 'approval' }>): Promise<boolean> {
  const inbox = await createInbox()
  inboxes.push(inbox)
  const body = { kind: 'approval', effect, reason: 'r', warnings: [], ...more } as const
  const asked = inbox.ask({ server: effect.server, session: 's', body }, { onWaiting: createByHand(inbox) })
  asked.catch(() => {})
  return inbox.pending().length === 0
}

test.each<[string, Effect, Partial<QuestionBody & { kind: 'approval' }>, boolean]>([
  ['a tool, asked about by default', CALL, { byDefault: true }, true],
  ['a resource, asked about by default', READ, { byDefault: true }, true],
  ['a prompt, asked about by default', PROMPT, { byDefault: true }, true],
  ['a tool that a rule asks about', CALL, {}, false],
  ['a rule whose words are those of the default', CALL, { reason: DEFAULTS.call.reason }, false],
  ['data on its way to another server', FLOW, { byDefault: true }, false],
  ['a folder', ROOT, { byDefault: true }, false],
])('whoever presses Run has decided about %s (house 15)', async (_what, effect, more, expected) => {
  expect(await answered(effect, more)).toBe(expected)
})
