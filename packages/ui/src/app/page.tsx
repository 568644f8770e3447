/** The frame of every screen: its heading, a line that says what it is for, what can be done, and the content. */

import { Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './page.module.css'

interface PageProps {
  readonly title: string
  /** One line under the title. */
  readonly lead?: ReactNode
  /** Buttons and fields at the right of the title. */
  readonly actions?: ReactNode
  /** The content takes the height that is left and scrolls by itself; otherwise the page scrolls. */
  readonly fill?: boolean
  /** For text that is read rather than scanned. */
  readonly narrow?: boolean
  readonly children: ReactNode
}

export function Page({ title, lead, actions, fill, narrow, children }: PageProps) {
  return (
    <div className={classes.page} data-fill={fill || undefined} data-narrow={narrow || undefined}>
      <header className={classes.head}>
        <div className={classes.words}>
          <Title order={1}>{title}</Title>
          {lead !== undefined && (
            <Text c="dimmed" mt={4} component="div">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && (
          <Group gap="xs" className={classes.actions}>
            {actions}
          </Group>
        )}
      </header>
      <div className={classes.body}>{children}</div>
    </div>
  )
}
