/** May this happen? Warnings first, then exactly what it is, then yes or no and for how long. */

import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { toVisible } from '../app/text/text.ts'
import { Chip } from '../app/tone.tsx'
import { CommandText, WarningList } from '../servers/command-text.tsx'
import { AnswerFoot } from './answer-foot.tsx'
import type { Schema } from './form/form-model.ts'
import classes from './inbox.module.css'
import { ObjectEditor } from './object-editor.tsx'
import type { BodyProps } from './question-body.ts'
import { type Memory, ONCE, Remember } from './remember.tsx'

type Effect = BodyProps<'approval'>['body']['effect']

export function Approval({ question, body, answer }: BodyProps<'approval'>) {
  const { effect, reason, warnings } = body
  const given: Schema | undefined = 'arguments' in effect ? effect.arguments : undefined
  const [edited, setEdited] = useState<Schema | undefined>(given)
  const [memory, setMemory] = useState<Memory>(ONCE)
  const isEdited = edited !== given
  const kept = memory.remember === 'once' ? { remember: memory.remember } : memory
  return (
    <Stack gap="md">
      <WarningList warnings={warnings} />
      <Text>{toVisible(reason)}</Text>
      <EffectFacts effect={effect} />
      {given !== undefined && Object.keys(given).length > 0 && (
        <ObjectEditor label="Arguments" value={given} onChange={setEdited} />
      )}
      <AnswerFoot
        answer={answer}
        allow={{ action: 'allow', ...kept, ...(isEdited && edited !== undefined && { content: edited }) }}
        deny={{ action: 'deny', ...kept }}
        disabled={given !== undefined && edited === undefined}
        changed={isEdited}
      >
        <Remember
          effect={effect}
          hasWorkspace={question.workspace !== undefined}
          words={question.memory}
          memory={memory}
          onChange={setMemory}
        />
      </AnswerFoot>
    </Stack>
  )
}

function EffectFacts({ effect }: { readonly effect: Effect }) {
  switch (effect.kind) {
    case 'connect':
      return <CommandText text={effect.shown} label="What would run" />
    case 'call':
      return <Claims effect={effect} />
    case 'flow':
      return (
        <div className={classes.flow}>
          {effect.from.map((server) => (
            <Chip key={server} tone="calm" icon={false}>
              {toVisible(server)}
            </Chip>
          ))}
          <span>→</span>
          <Chip tone="warn" icon={false}>
            {toVisible(effect.server)}
          </Chip>
          <Text span c="dimmed" size="sm">
            in a call of {toVisible(effect.tool)}
            {effect.inArguments
              ? '; the data itself is in the arguments below'
              : '; the conversation has seen the data'}
          </Text>
        </div>
      )
    case 'read':
    case 'root':
      return <CommandText text={effect.uri} label="Address" />
    default:
      return null
  }
}

const CLAIMS = [
  ['readOnlyHint', 'read-only'],
  ['destructiveHint', 'destructive'],
  ['idempotentHint', 'safe to repeat'],
  ['openWorldHint', 'external access'],
] as const

function Claims({ effect }: { readonly effect: Extract<Effect, { readonly kind: 'call' }> }) {
  const said = CLAIMS.filter(([hint]) => effect.annotations?.[hint] === true)
  if (said.length === 0) return null
  return (
    <div className={classes.flow}>
      <Text span c="dimmed" size="sm">
        The server says:
      </Text>
      {said.map(([hint, words]) => (
        <Chip key={hint} tone={hint === 'destructiveHint' ? 'bad' : 'calm'} icon={false}>
          {words}
        </Chip>
      ))}
      {!effect.trusted && (
        <Text span c="dimmed" size="sm">
          (this server is not trusted, so rules ignore it)
        </Text>
      )}
    </div>
  )
}
