/** Two messages, line by line. */

import { Button, Group, Stack, Switch } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toCount, toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { toJson } from '../parts/json.ts'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { cutText } from '../parts/text-safety.ts'
import classes from './comparison.module.css'
import { type DifferenceLine, differenceOfLines, foldSame } from './difference.ts'

interface ComparisonProps {
  readonly before: number
  readonly after: { readonly id: number; readonly message: unknown }
  readonly onEnd: () => void
}

const SIGNS = { same: ' ', removed: '−', added: '+' } as const
const MAX_DRAWN = 3_000

export function Comparison({ before, after, onEnd }: ComparisonProps) {
  const { data, error, reload } = useApi('timeline.message', { id: before })
  const [all, setAll] = useState(false)
  const lines = useMemo(
    () => (data === undefined ? [] : differenceOfLines(toJson(data.message), toJson(after.message))),
    [data, after.message],
  )
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  if (data === undefined) return <Waiting rows={3} height={30} />
  const changed = lines.filter(({ kind }) => kind !== 'same').length
  const shown: readonly (DifferenceLine | number)[] = all ? lines : foldSame(lines)
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <span>
          Message {before} against {after.id}:{' '}
          {changed === 0 ? 'equal' : toCount(changed, 'line differs', 'lines differ')}
        </span>
        <Group gap="xs">
          <Switch size="xs" label="All lines" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          <Button size="compact-xs" variant="default" onClick={onEnd}>
            Stop comparing
          </Button>
        </Group>
      </Group>
      {changed === 0 ? (
        <Note tone="good" title="The two messages are equal" />
      ) : (
        <ScrollBox className={classes.lines} label="Difference">
          {shown.slice(0, MAX_DRAWN).map((line, index) =>
            typeof line === 'number' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name and do not move
              <div key={index} className={classes.fold}>
                {toCount(line, 'line')} the same
              </div>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name and do not move
              <div key={index} className={classes.line} data-kind={line.kind}>
                <span className={classes.sign}>{SIGNS[line.kind]}</span>
                {toVisible(cutText(line.text, 2_000).text)}
              </div>
            ),
          )}
        </ScrollBox>
      )}
    </Stack>
  )
}
