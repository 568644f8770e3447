/** For how long an answer holds, and for what. Once, unless somebody chooses more. */

import { SegmentedControl, Select } from '@mantine/core'
import type { Answer, Question } from '../app/question-store.ts'
import classes from './inbox.module.css'

export type Memory = Required<Pick<Answer, 'remember' | 'breadth'>>
type Effect = Extract<Question['body'], { readonly kind: 'approval' }>['effect']

export const ONCE: Memory = { remember: 'once', breadth: 'item' }

const TIMES = [
  { value: 'once', label: 'Once' },
  { value: 'session', label: 'Session' },
  { value: 'workspace', label: 'Workspace' },
  { value: 'always', label: 'Always' },
]

const THINGS: { readonly [kind in Effect['kind']]: string } = {
  connect: 'exactly this command',
  call: 'this tool',
  read: 'this resource',
  prompt: 'this prompt',
  complete: 'completing this',
  sample: 'using the model',
  elicit: 'asking me',
  root: 'this folder',
  flow: 'this way of the data',
}

export interface RememberProps {
  readonly effect: Effect
  readonly hasWorkspace: boolean
  readonly memory: Memory
  readonly onChange: (memory: Memory) => void
}

export function Remember({ effect, hasWorkspace, memory, onChange }: RememberProps) {
  const { remember, breadth } = memory
  const hasArguments = 'arguments' in effect && Object.keys(effect.arguments).length > 0
  const breadths = [
    ...(hasArguments ? [{ value: 'arguments', label: `${THINGS[effect.kind]} with exactly these arguments` }] : []),
    { value: 'item', label: THINGS[effect.kind] },
    ...(effect.kind === 'connect' ? [] : [{ value: 'server', label: `everything like it of ${effect.server}` }]),
  ]
  const chosen = breadths.some(({ value }) => value === breadth) ? breadth : 'item'
  return (
    <div className={classes.remember}>
      <SegmentedControl
        size="xs"
        aria-label="Remember the answer"
        value={remember}
        data={TIMES.filter(({ value }) => value !== 'workspace' || hasWorkspace)}
        // The words of the table above.
        onChange={(value) => onChange({ ...memory, breadth: chosen, remember: value as Memory['remember'] })}
      />
      {remember !== 'once' && (
        <Select
          size="xs"
          aria-label="The answer holds for"
          allowDeselect={false}
          data={breadths}
          value={chosen}
          w="20rem"
          maw="100%"
          onChange={(value) => onChange({ ...memory, breadth: (value ?? 'item') as Memory['breadth'] })}
        />
      )}
    </div>
  )
}
