/** From page to page of something long, with a word on where one is. */

import { Button } from '@mantine/core'
import { ChevronLeftIcon, ChevronRightIcon } from '@radix-ui/react-icons'
import classes from './paged-text.module.css'

interface PagerProps {
  /** What is paged: read out with the buttons. */
  readonly label: string
  /** From 0. */
  readonly page: number
  readonly pages: number
  readonly onPage: (page: number) => void
}

export function Pager({ label, page, pages, onPage }: PagerProps) {
  const go = (to: number) => () => onPage(to)
  const of = label.toLowerCase()
  return (
    <nav className={classes.pager} aria-label={`Pages of ${of}`}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<ChevronLeftIcon />}
        disabled={page === 0}
        onClick={go(page - 1)}
        aria-label={`Previous page of ${of}`}
      >
        Previous
      </Button>
      <span role="status" className={classes.place}>
        Page {(page + 1).toLocaleString()} of {pages.toLocaleString()}
      </span>
      <Button
        size="compact-sm"
        variant="default"
        rightSection={<ChevronRightIcon />}
        disabled={page === pages - 1}
        onClick={go(page + 1)}
        aria-label={`Next page of ${of}`}
      >
        Next
      </Button>
      {pages > 3 && page < pages - 1 && (
        <Button size="compact-sm" variant="subtle" onClick={go(pages - 1)} aria-label={`Last page of ${of}`}>
          Last
        </Button>
      )}
    </nav>
  )
}
