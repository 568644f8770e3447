/** What the model wrote, before the server sees it (sec-115). */

import { Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { toVisible } from '../../app/text/text.ts'
import { toJson } from '../../parts/json.ts'
import { PagedText } from '../../parts/paged-text.tsx'
import { AnswerFoot } from '../answer-foot.tsx'
import classes from '../inbox.module.css'
import { Prose } from '../prose.tsx'
import type { BodyProps } from '../question-body.ts'
import { messagesOf, textOf } from './sampling-model.ts'

export function SamplingAnswer({ body: { request, answer: given }, answer }: BodyProps<'sampling-answer'>) {
  const text = textOf(given.content)
  const [edited, setEdited] = useState(text)
  const isEdited = edited !== text
  const asked = messagesOf(request).at(-1)?.text
  return (
    <Stack gap="md">
      {asked !== undefined && (
        <div>
          <Text c="dimmed" size="sm">
            Asked
          </Text>
          <Prose text={asked} label="The request" />
        </div>
      )}
      {text === undefined ? (
        <div className={classes.block}>
          <PagedText text={toJson(given.content)} label="Answer" />
        </div>
      ) : (
        <Textarea
          label={`Answer${typeof given.model === 'string' ? ` of ${toVisible(given.model)}` : ''}`}
          value={edited ?? ''}
          onChange={(event) => setEdited(event.currentTarget.value)}
          autosize
          minRows={3}
          maxRows={20}
        />
      )}
      <AnswerFoot
        answer={answer}
        allow={{ action: 'allow', ...(isEdited && edited !== undefined && { content: { text: edited } }) }}
        changed={isEdited}
      />
    </Stack>
  )
}
