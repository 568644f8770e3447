/** allow, ask, deny: the same look everywhere. */

import { CheckIcon, Cross2Icon, QuestionMarkIcon } from '@radix-ui/react-icons'
import { Chip } from '../app/tone.tsx'

const LOOKS = {
  allow: ['good', 'Allow', CheckIcon],
  ask: ['warn', 'Ask', QuestionMarkIcon],
  deny: ['bad', 'Deny', Cross2Icon],
} as const

export function OutcomeChip({ outcome }: { readonly outcome: string | undefined }) {
  if (outcome !== 'allow' && outcome !== 'ask' && outcome !== 'deny') {
    return outcome === undefined ? null : <Chip tone={toneOf(outcome)}>{outcome}</Chip>
  }
  const [tone, word, icon] = LOOKS[outcome]
  return (
    <Chip tone={tone} icon={icon}>
      {word}
    </Chip>
  )
}

/** Outcomes of what was done, rather than decided. */
function toneOf(outcome: string) {
  if (outcome === 'ok' || outcome === 'allowed') return 'good'
  if (outcome === 'error' || outcome === 'denied' || outcome === 'failed') return 'bad'
  return 'calm'
}
