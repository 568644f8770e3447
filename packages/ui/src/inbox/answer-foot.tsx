/** The answers of every question, in the same words and places; and how much of it nobody has seen yet. */

import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Answer } from '../app/data/question-store.ts'
import { toCount } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { usePartsNotShown } from '../parts/not-shown.tsx'
import classes from './inbox.module.css'

interface AnswerFootProps {
  readonly answer: (answer: Answer) => Promise<boolean>
  /** What is sent with a yes. */
  readonly allow: Answer
  /** What is sent with a no. */
  readonly deny?: Answer
  /** Yes cannot be said yet. */
  readonly disabled?: boolean
  /** Something was changed before it is allowed. */
  readonly changed?: boolean
  /** What stands beside the buttons. */
  readonly children?: ReactNode
}

export function AnswerFoot({ answer, allow, deny = DENY, disabled, changed, children }: AnswerFootProps) {
  const [busy, setBusy] = useState(false)
  const send = async (given: Answer) => {
    setBusy(true)
    await answer(given)
    setBusy(false)
  }
  return (
    <>
      <NotShownNote />
      <div className={classes.foot}>
        {children}
        <div className={classes.buttons}>
          <Button variant="default" disabled={busy} onClick={() => void send(deny)}>
            Deny
          </Button>
          <Button disabled={busy || disabled === true} onClick={() => void send(allow)}>
            {changed === true ? 'Allow with changes' : 'Allow'}
          </Button>
        </div>
      </div>
    </>
  )
}

const DENY: Answer = { action: 'deny' }

/** Says what is on pages that were not opened; it stops nobody. */
export function NotShownNote() {
  const parts = usePartsNotShown()
  if (parts.length === 0) return null
  const words = parts.map(({ label, characters }) => `${toCount(characters, 'character')} of ${label.toLowerCase()}`)
  return (
    <Note tone="warn" title="Not everything has been shown yet">
      {`Still on other pages: ${words.join(', ')}.`}
    </Note>
  )
}
