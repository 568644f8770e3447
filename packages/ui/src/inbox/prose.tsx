/** A server's message as plain words; a very long one is cut until it is asked for. */

import { Text } from '@mantine/core'
import { useState } from 'react'
import { toVisible } from '../app/text.ts'
import { ShowAll } from '../parts/text-block.tsx'
import { cutText } from '../parts/text-safety.ts'
import classes from './inbox.module.css'

const MOST = 4_000
const MOST_EVER = 1_000_000

export function Prose({ text }: { readonly text: string }) {
  const [all, setAll] = useState(false)
  const { text: shown, isCut } = cutText(text, all ? MOST_EVER : MOST)
  return (
    <div>
      <Text className={classes.message}>{toVisible(shown)}</Text>
      {isCut && <ShowAll length={text.length} isMost={all} onAll={() => setAll(true)} />}
    </div>
  )
}
