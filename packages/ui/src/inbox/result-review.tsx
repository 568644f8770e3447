/** May the model see this result? It can be changed first. */

import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Schema } from './form-model.ts'
import classes from './inbox.module.css'
import { ObjectEditor } from './object-editor.tsx'
import type { BodyProps } from './question-body.ts'
import { effectWords } from './question-words.ts'

export function ResultReview({ body: { effect, result }, answer }: BodyProps<'result'>) {
  const [edited, setEdited] = useState<Schema | undefined>(result)
  return (
    <Stack gap="md">
      <Text>
        It came of: <strong>{effectWords(effect).replace(/\?$/, '')}</strong>
      </Text>
      <ObjectEditor label="Result" value={result} onChange={setEdited} />
      <div className={classes.foot}>
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => void answer({ action: 'deny' })}>
            Keep it back
          </Button>
          <Button
            disabled={edited === undefined}
            onClick={() =>
              void answer({ action: 'allow', ...(edited !== result && edited !== undefined && { content: edited }) })
            }
          >
            {edited === result ? 'Show it to the model' : 'Show it as changed'}
          </Button>
        </div>
      </div>
    </Stack>
  )
}
