/** What a server wrote on its error output and as log messages, newest at the end. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toCount, toVisible } from '../app/text.ts'
import { useApi } from '../app/use-api.ts'
import classes from './servers.module.css'

/** More is in the file of the log; this much can be looked through. */
const MAX_LINES = 2_000

export function Output({ server }: { readonly server: string }) {
  const { data, error, loading, reload } = useApi('servers.logs', { server })
  const end = useRef<HTMLPreElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more of it
  useEffect(() => {
    end.current?.scrollTo({ top: end.current.scrollHeight })
  }, [data])
  const lines = data?.lines.slice(-MAX_LINES) ?? []
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text c="dimmed">{data === undefined ? 'Reading…' : toCount(data.lines.length, 'line')}</Text>
        <Button variant="default" size="compact-sm" loading={loading} onClick={reload}>
          Read again
        </Button>
      </Group>
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Waiting rows={3} />}
      {data !== undefined && lines.length === 0 && <Text c="dimmed">It has written nothing. That is usual.</Text>}
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
        <pre className={classes.output} ref={end} tabIndex={0} aria-label={`Output of ${server}`} role="log">
          {toVisible(lines.join('\n'))}
        </pre>
      )}
    </Stack>
  )
}
