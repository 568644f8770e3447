/** For how long an answer holds, and for what. Once, unless somebody chooses more. */

import { SegmentedControl, Select, Text } from '@mantine/core'
import type { Answer, Question } from '../app/data/question-store.ts'
import { toVisible } from '../app/text/text.ts'
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

/** What an answer is about: this one thing, or all of its kind. */
const THINGS: { readonly [kind in Effect['kind']]: readonly [one: string, all: string] } = {
  connect: ['exactly this command', 'every command'],
  call: ['this tool', 'every tool'],
  read: ['this resource', 'every resource'],
  prompt: ['this prompt', 'every prompt'],
  complete: ['these suggestions', 'every suggestion'],
  sample: ['model requests', 'every model request'],
  elicit: ['questions to you', 'every question to you'],
  root: ['this folder', 'every folder'],
  flow: ['this data flow', 'every data flow'],
}

interface RememberProps {
  readonly effect: Effect
  readonly hasWorkspace: boolean
  /** What each way to remember holds for. */
  readonly words: Question['memory']
  readonly memory: Memory
  readonly onChange: (memory: Memory) => void
}

export function Remember({ effect, hasWorkspace, words, memory, onChange }: RememberProps) {
  const { remember, breadth } = memory
  const [one, all] = THINGS[effect.kind]
  const hasArguments = 'arguments' in effect && Object.keys(effect.arguments).length > 0
  const breadths = [
    ...(hasArguments ? [{ value: 'arguments', label: `${one} with exactly these arguments` }] : []),
    { value: 'item', label: one },
    ...(effect.kind === 'connect' ? [] : [{ value: 'server', label: `${all} of ${effect.server}` }]),
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
          aria-label="The answer applies to"
          allowDeselect={false}
          data={breadths}
          value={chosen}
          w="20rem"
          maw="100%"
          onChange={(value) => onChange({ ...memory, breadth: (value ?? 'item') as Memory['breadth'] })}
        />
      )}
      {words !== undefined && (
        <Text className={classes.holds} size="xs" c="dimmed" role="status">
          Holds {toVisible(words[remember])}.
        </Text>
      )}
    </div>
  )
}
