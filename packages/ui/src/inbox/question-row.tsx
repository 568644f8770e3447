/** A question that is not open: who asks what, since when. */

import { UnstyledButton } from '@mantine/core'
import { Ago } from '../app/ago.tsx'
import type { Question } from '../app/data/question-store.ts'
import { Chip } from '../app/tone.tsx'
import classes from './inbox.module.css'
import { ICONS } from './question-icons.ts'
import { wordsOf } from './question-words.ts'

export function QuestionRow({ question, onOpen }: { readonly question: Question; readonly onOpen: () => void }) {
  const { kind, title } = wordsOf(question)
  const { body } = question
  const Icon = ICONS[body.kind]
  const isRisky = 'warnings' in body && (body.warnings ?? []).length > 0
  return (
    <UnstyledButton className={classes.row} onClick={onOpen} aria-expanded={false}>
      <span className={classes.icon} aria-hidden="true">
        <Icon width={16} height={16} />
      </span>
      <span className={classes.rowTitle}>{title}</span>
      {isRisky && <Chip tone="warn">Warnings</Chip>}
      <span className={classes.when}>
        {kind} · <Ago at={question.createdAt} />
      </span>
    </UnstyledButton>
  )
}
