/** Something that is there but not in the way. */

import { UnstyledButton } from '@mantine/core'
import { ChevronDownIcon, ChevronRightIcon } from '@radix-ui/react-icons'
import { type ReactNode, useState } from 'react'
import classes from './foldable.module.css'

interface FoldableProps {
  readonly title: ReactNode
  readonly children: ReactNode
  readonly open?: boolean
}

export function Foldable({ title, children, open = false }: FoldableProps) {
  const [isOpen, setOpen] = useState(open)
  return (
    <div>
      <UnstyledButton className={classes.head} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? <ChevronDownIcon aria-hidden="true" /> : <ChevronRightIcon aria-hidden="true" />}
        {title}
      </UnstyledButton>
      {isOpen && <div className={classes.body}>{children}</div>}
    </div>
  )
}
