/**
 * What holds where no rule speaks: nothing happens without a person's yes (sec-161), except what asks by itself or
 * cannot do harm. One table, so that it can be read in one look.
 */

import type { Outcome } from './decision.ts'
import type { Effect, EffectKind } from './effect.ts'
import { believedTraits } from './facts.ts'

/** An outcome that holds without a rule, and the reason for it in words. */
export interface Default {
  readonly outcome: Outcome
  readonly reason: string
}

/** What holds for each kind of effect when no rule matches it. */
export const DEFAULTS: { readonly [kind in EffectKind]: Default } = {
  connect: {
    outcome: 'ask',
    reason: 'You are asked before a server is connected: it runs a program, or sends requests',
  },
  call: { outcome: 'ask', reason: 'You are asked before a tool is called' },
  read: { outcome: 'ask', reason: 'You are asked before a resource is read' },
  prompt: { outcome: 'ask', reason: 'You are asked before a prompt of a server is used' },
  complete: { outcome: 'allow', reason: 'What somebody types is completed by the server that it is for' },
  sample: { outcome: 'ask', reason: 'You are asked before a server uses your model' },
  elicit: { outcome: 'allow', reason: 'A question of a server is shown, and is the question itself' },
  root: { outcome: 'ask', reason: 'You are asked before a server is told of a folder' },
  flow: { outcome: 'ask', reason: 'You are asked before data of one server goes to another' },
}

const TRUSTED_READING: Default = {
  outcome: 'allow',
  reason: 'A trusted server says that the tool only reads',
}

export function defaultFor(effect: Effect): Default {
  if (effect.kind === 'call' && effect.trusted && believedTraits(effect).readOnly) return TRUSTED_READING
  return DEFAULTS[effect.kind]
}
