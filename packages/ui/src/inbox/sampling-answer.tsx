/** What the model wrote, before the server sees it (sec-115). */

import { Button, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { toVisible } from '../app/text.ts'
import { toJson } from '../parts/json.ts'
import { TextBlock } from '../parts/text-block.tsx'
import classes from './inbox.module.css'
import type { BodyProps } from './question-body.ts'
import { messagesOf, textOf } from './sampling-model.ts'

export function SamplingAnswer({ body: { request, answer: given }, answer }: BodyProps<'sampling-answer'>) {
  const text = textOf(given.content)
  const [edited, setEdited] = useState(text)
  const asked = messagesOf(request).at(-1)?.text
  return (
    <Stack gap="md">
      {asked !== undefined && (
        <Text c="dimmed" lineClamp={3}>
          Asked: {toVisible(asked)}
        </Text>
      )}
      {text === undefined ? (
        <TextBlock text={toJson(given.content)} label="Answer" />
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
      <div className={classes.foot}>
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => void answer({ action: 'deny' })}>
            Keep it back
          </Button>
          <Button
            onClick={() =>
              void answer({
                action: 'allow',
                ...(edited !== text && edited !== undefined && { content: { text: edited } }),
              })
            }
          >
            {edited === text ? 'Give it to the server' : 'Give it as changed'}
          </Button>
        </div>
      </div>
    </Stack>
  )
}
