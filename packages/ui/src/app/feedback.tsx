/** What a screen shows when there is nothing to show: an error in one line with its remedy, an empty place, a skeleton. */

import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import type { ApiError } from './data/api.ts'
import classes from './feedback.module.css'
import { Note } from './tone.tsx'

export function FailureNote({ error, onRetry }: { readonly error: ApiError; readonly onRetry?: () => void }) {
  return (
    <Note
      tone="bad"
      role="alert"
      title={error.message}
      actions={
        onRetry !== undefined && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Retry
          </Button>
        )
      }
    >
      {error.remedy}
    </Note>
  )
}

interface EmptyProps {
  readonly icon: ReactNode
  readonly title: string
  /** What to do, or what will be here. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

export function Empty({ icon, title, children, actions }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <div className={classes.emblem} aria-hidden="true">
        {icon}
      </div>
      <Title order={2} size="h3">
        {title}
      </Title>
      {children !== undefined && (
        <Text c="dimmed" maw="30rem" component="div">
          {children}
        </Text>
      )}
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}

export function Waiting({ rows = 4, height = 56 }: { readonly rows?: number; readonly height?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all rows are alike
        <Skeleton key={row} height={height} radius="md" />
      ))}
    </Stack>
  )
}

/** One screen that fails must not take the others with it. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {}

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <div className={classes.crashed}>
        <Note
          tone="bad"
          role="alert"
          title="This screen could not be shown"
          actions={
            <Button size="compact-sm" variant="default" onClick={() => this.setState({ error: undefined })}>
              Retry
            </Button>
          }
        >
          {error.message}
        </Note>
      </div>
    )
  }
}
