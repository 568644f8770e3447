/** Which folders a server may know of: none unless chosen. */

import { Checkbox, Stack } from '@mantine/core'
import { useState } from 'react'
import { toVisible } from '../app/text/text.ts'
import { AnswerFoot } from './answer-foot.tsx'
import type { BodyProps } from './question-body.ts'

export function RootsQuestion({ body: { offered }, answer }: BodyProps<'roots'>) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  return (
    <Stack gap="md">
      <Checkbox.Group
        label="Folders"
        description="The server learns their names; what it may read in them is up to its own program."
        value={[...chosen]}
        onChange={setChosen}
      >
        <Stack gap="xs" mt="xs">
          {offered.map((root) => (
            <Checkbox key={root} value={root} label={<code>{toVisible(root)}</code>} />
          ))}
        </Stack>
      </Checkbox.Group>
      <AnswerFoot
        answer={answer}
        allow={{ action: 'allow', content: { roots: [...chosen] } }}
        disabled={chosen.length === 0}
      />
    </Stack>
  )
}
