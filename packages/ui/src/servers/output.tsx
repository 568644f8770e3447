/** What a server wrote on its error output and as log messages, newest at the end. */

import { Button, Group, Select, Stack, Text } from '@mantine/core'
import type { ApiParams } from 'portico/web-api'
import { useEffect, useRef } from 'react'
import { useAction, useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toCount, toVisible } from '../app/text/text.ts'
import classes from './servers.module.css'

/** More is in the file of the log; this much can be looked through. */
const MAX_LINES = 2_000

type LogLevel = NonNullable<ApiParams<'servers.tune'>['logLevel']>

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

const toChoice = (level: LogLevel) => ({ value: level, label: `Log level: ${level}` })

export function Output({ server, level }: { readonly server: string; readonly level: LogLevel | undefined }) {
  const tune = useAction('servers.tune')
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
        <Select
          className={classes.level}
          size="xs"
          aria-label="Log level"
          data={[{ value: '', label: 'Log level: as configured' }, ...LEVELS.map(toChoice)]}
          value={level ?? ''}
          allowDeselect={false}
          disabled={tune.busy}
          onChange={(next) => void tune.run({ server, logLevel: LEVELS.find((one) => one === next) ?? null })}
        />
        <Button variant="default" size="compact-sm" loading={loading} onClick={reload}>
          Read again
        </Button>
      </Group>
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Waiting rows={3} />}
      {data !== undefined && lines.length === 0 && <Text c="dimmed">No output. That is normal.</Text>}
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
        <pre className={classes.output} ref={end} tabIndex={0} aria-label={`Output of ${server}`} role="log">
          {toVisible(lines.join('\n'))}
        </pre>
      )}
    </Stack>
  )
}
