/** Old and new words of a definition side by side, one part below the other; what went and what came is marked. */

import { type ReactNode, useState } from 'react'
import { toVisible } from '../../app/text/text.ts'
import { useNotShown } from '../not-shown.tsx'
import { Pager } from '../pager.tsx'
import classes from './difference.module.css'
import { toRuns } from './difference-text.ts'

interface DifferencePart {
  readonly part: string
  readonly before: string
  readonly after: string
}

/** Parts on one page. */
const PARTS = 20

export function Difference({ parts }: { readonly parts: readonly DifferencePart[] }) {
  const pages = Math.ceil(parts.length / PARTS)
  const [page, setPage] = useState(0)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set([0]))
  const isHidden = (_: unknown, at: number) => !opened.has(Math.floor(at / PARTS))
  useNotShown(
    'Differences',
    parts.filter(isHidden).reduce((sum, { before, after }) => sum + before.length + after.length, 0),
  )
  const open = (to: number) => {
    setPage(to)
    setOpened((before) => new Set(before).add(to))
  }
  return (
    <div className={classes.difference}>
      {pages > 1 && <Pager label="Differences" page={page} pages={pages} onPage={open} />}
      {parts.slice(page * PARTS, (page + 1) * PARTS).map(({ part, before, after }) => (
        <div key={part} className={classes.part}>
          <div className={classes.name}>{toVisible(part)}</div>
          <Side label="Before" text={before} mark="removed" />
          <Side label="Now" text={after} mark="added" />
        </div>
      ))}
    </div>
  )
}

function Side({
  label,
  text,
  mark,
}: {
  readonly label: string
  readonly text: string
  readonly mark: 'removed' | 'added'
}) {
  const runs = toRuns(text, mark)
  const isMarked = runs.some(({ marked }) => marked)
  return (
    <div className={classes.side} data-mark={mark}>
      <span className={classes.label}>{label}</span>
      {text === '' ? (
        <span className={classes.nothing}>nothing</span>
      ) : (
        <span className={classes.text}>
          {runs.map(({ text: words, marked }, at): ReactNode => {
            const shown = toVisible(words)
            // biome-ignore lint/suspicious/noArrayIndexKey: runs are only ever drawn as a whole
            if (!marked && isMarked) return <span key={at}>{shown}</span>
            const Tag = mark === 'removed' ? 'del' : 'ins'
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            return <Tag key={at}>{shown}</Tag>
          })}
        </span>
      )}
    </div>
  )
}
