/** A server's words as characters: what hides is made visible, and what is huge is cut until it is asked for. */

import { Button } from '@mantine/core'
import { useState } from 'react'
import { toSize, toVisible } from '../app/text/text.ts'
import { ScrollBox } from './scroll-box.tsx'
import classes from './text-block.module.css'
import { cutText } from './text-safety.ts'

export const MAX_SHOWN = 20_000
/** Even a person who asks for all is not helped by a frozen page. */
const MAX_EVER = 5_000_000

interface TextBlockProps {
  readonly text: string
  readonly label?: string
  readonly most?: number
  /** Without a box around it. */
  readonly bare?: boolean
}

export function TextBlock({ text, label = 'Text', most = MAX_SHOWN, bare }: TextBlockProps) {
  const [all, setAll] = useState(false)
  const { text: shown, isCut } = cutText(text, all ? MAX_EVER : most)
  return (
    <div>
      {bare ? (
        <div className={classes.bare}>{toVisible(shown)}</div>
      ) : (
        <ScrollBox className={classes.text} label={label}>
          {toVisible(shown)}
        </ScrollBox>
      )}
      {isCut && <ShowAll length={text.length} isMost={all} onAll={() => setAll(true)} />}
    </div>
  )
}

interface ShowAllProps {
  readonly length: number
  readonly isMost: boolean
  readonly onAll: () => void
}

export function ShowAll({ length, isMost, onAll }: ShowAllProps) {
  if (isMost) return <div className={classes.more}>The rest is too long for a page; copy it to see it all.</div>
  return (
    <div className={classes.more}>
      <Button size="compact-sm" variant="light" onClick={onAll}>
        Show all ({toSize(length)})
      </Button>
    </div>
  )
}
