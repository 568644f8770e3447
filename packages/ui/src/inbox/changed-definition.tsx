/** A definition is not what was approved: compare, then let it be used again or not. */

import { Button, Stack, Text } from '@mantine/core'
import { Difference } from '../app/difference.tsx'
import classes from './inbox.module.css'
import type { BodyProps } from './question-body.ts'

export function ChangedDefinition({ body: { difference }, answer }: BodyProps<'definition'>) {
  return (
    <Stack gap="md">
      <Text>
        It cannot be used until you approve it as it is now. Look for instructions to the model that were not there
        before.
      </Text>
      <Difference parts={difference} />
      <div className={classes.foot}>
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => void answer({ action: 'deny' })}>
            Keep it blocked
          </Button>
          <Button onClick={() => void answer({ action: 'allow' })}>Approve the change</Button>
        </div>
      </div>
    </Stack>
  )
}
