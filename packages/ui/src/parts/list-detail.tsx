/** A list beside what is chosen from it; on a narrow page one after the other, with a way back. */

import { Button } from '@mantine/core'
import { ArrowLeftIcon } from '@radix-ui/react-icons'
import type { ReactNode } from 'react'
import classes from './list-detail.module.css'

interface ListDetailProps {
  readonly list: ReactNode
  /** Undefined while nothing is chosen. */
  readonly detail: ReactNode | undefined
  /** Where nothing is chosen and there is room. */
  readonly empty: ReactNode
  readonly listLabel: string
  readonly detailLabel: string
  readonly backLabel: string
  readonly onBack: () => void
  /** The list gets most of the room. */
  readonly wideList?: boolean
}

export function ListDetail(props: ListDetailProps) {
  const { list, detail, empty, listLabel, detailLabel, backLabel, onBack, wideList } = props
  const isChosen = detail !== undefined
  return (
    <div className={classes.frame} data-chosen={isChosen || undefined} data-wide={wideList || undefined}>
      <section className={classes.list} aria-label={listLabel}>
        {list}
      </section>
      <section className={classes.detail} aria-label={detailLabel}>
        {isChosen && (
          <Button
            className={classes.back}
            variant="subtle"
            size="compact-md"
            leftSection={<ArrowLeftIcon />}
            onClick={onBack}
          >
            {backLabel}
          </Button>
        )}
        {detail ?? <div className={classes.empty}>{empty}</div>}
      </section>
    </div>
  )
}
