/** Which folders a server may know of: none unless chosen. */

import { Button, Checkbox, Stack } from '@mantine/core'
import { useState } from 'react'
import { toCount, toVisible } from '../app/text.ts'
import classes from './inbox.module.css'
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
      <div className={classes.foot}>
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => void answer({ action: 'deny' })}>
            Share none
          </Button>
          <Button
            disabled={chosen.length === 0}
            onClick={() => void answer({ action: 'allow', content: { roots: [...chosen] } })}
          >
            {chosen.length === 0 ? 'Share' : `Share ${toCount(chosen.length, 'folder')}`}
          </Button>
        </div>
      </div>
    </Stack>
  )
}
