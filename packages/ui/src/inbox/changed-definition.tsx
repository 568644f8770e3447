/** A definition is not what was approved: compare, then let it be used again or not. */

import { Stack, Text } from '@mantine/core'
import { Difference } from '../parts/difference/difference.tsx'
import { AnswerFoot } from './answer-foot.tsx'
import type { BodyProps } from './question-body.ts'

export function ChangedDefinition({ body: { difference }, answer }: BodyProps<'definition'>) {
  return (
    <Stack gap="md">
      <Text>
        It cannot be used until you allow it as it is now. Look for instructions to the model that were not there
        before.
      </Text>
      <Difference parts={difference} />
      <AnswerFoot answer={answer} allow={{ action: 'allow' }} />
    </Stack>
  )
}
