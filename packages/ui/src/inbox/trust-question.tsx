/** A project's own file wants to add servers: whoever wrote the project decides what would run here. */

import { Stack, Text } from '@mantine/core'
import { toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { CommandText } from '../servers/command-text.tsx'
import { AnswerFoot } from './answer-foot.tsx'
import classes from './inbox.module.css'
import type { BodyProps } from './question-body.ts'

export function TrustQuestion({ body: { file, servers }, answer }: BodyProps<'trust'>) {
  return (
    <Stack gap="md">
      <Note tone="warn" title="Whoever wrote this file chooses what runs on your computer">
        Read it before you trust it. It is asked again whenever the file changes, and each new command is shown before
        it runs.
      </Note>
      <CommandText text={file} label="File" />
      <Text component="div">
        It would add:
        <ul className={classes.list}>
          {servers.map((server) => (
            <li key={server}>
              <strong>{toVisible(server)}</strong>
            </li>
          ))}
        </ul>
      </Text>
      <AnswerFoot answer={answer} allow={{ action: 'allow' }} />
    </Stack>
  )
}
