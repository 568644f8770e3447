/** Instead of every screen, while the program does not know this browser. */

import { Button, Code } from '@mantine/core'
import { LockClosedIcon } from '@radix-ui/react-icons'
import type { ReactNode } from 'react'
import { useRefusal } from '../app/data/info-store.ts'
import { Empty } from '../app/feedback.tsx'
import classes from './shell.module.css'

export function Gate({ children }: { readonly children: ReactNode }) {
  const refusal = useRefusal()
  if (refusal === undefined) return children
  return (
    <div className={classes.loading}>
      <Empty
        icon={<LockClosedIcon width={22} height={22} />}
        title="Open the link that the program printed"
        actions={<Button onClick={() => window.location.reload()}>Retry</Button>}
      >
        The workbench acts for you, so it opens only with a link that is used once. Look into the terminal where{' '}
        <Code>portico</Code> runs, or start it again to get a new one.
      </Empty>
    </div>
  )
}
