/**
 * Foreign text that somebody decides about: as characters, what hides made visible, by pages that reach the last one of
 * them. Nothing is left out in the middle, and whoever asks the question learns which pages were not opened yet.
 */

import { useMemo, useState } from 'react'
import { toVisible } from '../app/text/text.ts'
import { useNotShown } from './not-shown.tsx'
import classes from './paged-text.module.css'
import { Pager } from './pager.tsx'
import { toPages } from './pages.ts'

interface PagedTextProps {
  readonly text: string
  /** What it is: `Arguments`. */
  readonly label: string
  /** Words of a message instead of code. */
  readonly prose?: boolean
}

export function PagedText({ text, label, prose = false }: PagedTextProps) {
  // Another text is another thing to read, from its first page.
  return <Pages key={text} text={text} label={label} prose={prose} />
}

function Pages({ text, label, prose }: Required<PagedTextProps>) {
  const pages = useMemo(() => toPages(toVisible(text)), [text])
  const [page, setPage] = useState(0)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set([0]))
  useNotShown(
    label,
    pages.reduce((sum, one, at) => (opened.has(at) ? sum : sum + one.length), 0),
  )
  const open = (to: number) => {
    setPage(to)
    setOpened((before) => new Set(before).add(to))
  }
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a section would be a landmark */}
      <div role="group" aria-label={label} className={prose ? classes.prose : classes.code}>
        {pages[page]}
      </div>
      {pages.length > 1 && <Pager label={label} page={page} pages={pages.length} onPage={open} />}
    </div>
  )
}
