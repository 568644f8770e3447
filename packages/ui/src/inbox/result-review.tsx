/** May the model see this result? It can be changed first. */

import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { AnswerFoot } from './answer-foot.tsx'
import type { Schema } from './form/form-model.ts'
import { ObjectEditor } from './object-editor.tsx'
import type { BodyProps } from './question-body.ts'
import { effectWords } from './question-words.ts'

export function ResultReview({ body: { effect, result }, answer }: BodyProps<'result'>) {
  const [edited, setEdited] = useState<Schema | undefined>(result)
  const isEdited = edited !== result
  return (
    <Stack gap="md">
      <Text>
        The result of: <strong>{effectWords(effect).replace(/\?$/, '')}</strong>
      </Text>
      <ObjectEditor label="Result" value={result} onChange={setEdited} />
      <AnswerFoot
        answer={answer}
        allow={{ action: 'allow', ...(isEdited && edited !== undefined && { content: edited }) }}
        disabled={edited === undefined}
        changed={isEdited}
      />
    </Stack>
  )
}
