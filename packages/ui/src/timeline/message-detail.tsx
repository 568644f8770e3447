/** One message in full: decoded, as it was sent, with what belongs to it, and against another one. */

import { Button, Group, Stack, Tabs, Title, UnstyledButton } from '@mantine/core'
import { MixerHorizontalIcon } from '@radix-ui/react-icons'
import type { ApiResult, TimelineRow } from 'portico/web-api'
import { useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toClock, toDuration, toSize, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { TextBlock } from '../parts/text-block.tsx'
import { Comparison } from './comparison.tsx'
import classes from './message-detail.module.css'
import { toTime } from './row-view.tsx'

interface MessageDetailProps {
  readonly id: number
  /** The message to compare with. */
  readonly pinned: number | undefined
  readonly onPin: (id: number | undefined) => void
  readonly onChoose: (id: number) => void
  readonly onFilter: (term: string) => void
}

const KINDS = {
  request: { tone: 'busy', word: 'Request' },
  response: { tone: 'good', word: 'Answer' },
  error: { tone: 'bad', word: 'Error' },
  notification: { tone: 'calm', word: 'Notification' },
  closed: { tone: 'bad', word: 'Connection closed' },
} as const

export function MessageDetail({ id, pinned, onPin, onChoose, onFilter }: MessageDetailProps) {
  const { data, error, reload } = useApi('timeline.message', { id })
  if (error !== undefined) {
    return (
      <div className={classes.detail}>
        <FailureNote error={error} onRetry={reload} />
      </div>
    )
  }
  if (data === undefined || data.row.id !== id) {
    return (
      <div className={classes.detail}>
        <Waiting rows={3} />
      </div>
    )
  }
  const { row } = data
  const server = <Term term={`server:${/\s/.test(row.server) ? `"${row.server}"` : row.server}`} onFilter={onFilter} />
  if (row.kind === 'closed') {
    return (
      <div className={classes.detail}>
        <Head row={row} />
        <Group gap={6}>{server}</Group>
      </div>
    )
  }
  return (
    <div className={classes.detail}>
      <Head row={row} />
      <Group gap={6}>
        {row.method !== '' && <Term term={`method:${row.method}`} onFilter={onFilter} />}
        {server}
        <Term term={`group:${row.group}`} label="only this call" onFilter={onFilter} />
        <Button
          size="compact-xs"
          variant={pinned === id ? 'filled' : 'default'}
          leftSection={<MixerHorizontalIcon />}
          onClick={() => onPin(pinned === id ? undefined : id)}
        >
          {pinned === id ? 'Now choose another one' : 'Compare'}
        </Button>
      </Group>
      <Views data={data} pinned={pinned === id ? undefined : pinned} onPin={onPin} onChoose={onChoose} />
    </div>
  )
}

interface ViewsProps extends Pick<MessageDetailProps, 'onPin' | 'onChoose'> {
  readonly data: ApiResult<'timeline.message'>
  /** Another message, to compare with. */
  readonly pinned: number | undefined
}

/** The message decoded, as it was sent, with what belongs to it, and against another one. */
function Views({ data: { row, message, raw, related }, pinned, onPin, onChoose }: ViewsProps) {
  const isComparing = pinned !== undefined
  return (
    <Tabs
      key={isComparing ? 'compare' : 'look'}
      defaultValue={isComparing ? 'difference' : 'decoded'}
      variant="outline"
    >
      <div className={classes.tabs}>
        <Tabs.List>
          <Tabs.Tab value="decoded">Decoded</Tabs.Tab>
          <Tabs.Tab value="raw">Raw</Tabs.Tab>
          <Tabs.Tab value="call">Call ({related.length + 1})</Tabs.Tab>
          {isComparing && <Tabs.Tab value="difference">Difference</Tabs.Tab>}
        </Tabs.List>
        <span className={classes.copy}>
          <CopyButton text={() => raw} label="Copy the message" />
        </span>
      </div>
      <Tabs.Panel value="decoded" pt="sm">
        <JsonView value={message} open={5} label="The message" />
      </Tabs.Panel>
      <Tabs.Panel value="raw" pt="sm">
        <TextBlock text={raw} label="The message as it was sent" />
      </Tabs.Panel>
      <Tabs.Panel value="call" pt="sm">
        <Related row={row} related={related} onChoose={onChoose} />
      </Tabs.Panel>
      {isComparing && (
        <Tabs.Panel value="difference" pt="sm">
          <Comparison before={pinned} after={{ id: row.id, message }} onEnd={() => onPin(undefined)} />
        </Tabs.Panel>
      )}
    </Tabs>
  )
}

function Head({ row }: { readonly row: TimelineRow }) {
  const look = KINDS[row.kind]
  const facts = [
    toClock(row.at),
    `${row.direction === 'out' ? 'to' : 'from'} ${toVisible(row.server)}`,
    ...(row.kind === 'closed' ? [] : [toSize(row.bytes)]),
    ...(row.rpcId === undefined ? [] : [`id ${toVisible(String(row.rpcId))}`]),
    ...(row.durationMs === undefined ? [] : [toDuration(row.durationMs)]),
  ]
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Chip tone={look.tone}>{look.word}</Chip>
        <Title order={2} size="h3" className={classes.title}>
          {toVisible(row.method === '' ? look.word : row.method)}
        </Title>
      </Group>
      {row.summary !== '' && <div className={classes.summary}>{toVisible(row.summary)}</div>}
      {row.lost !== undefined && (
        <Note tone="bad" title="No answer">
          {toVisible(row.lost)}
        </Note>
      )}
      <div className={classes.facts}>{facts.join(' · ')}</div>
    </Stack>
  )
}

interface TermProps {
  readonly term: string
  readonly label?: string
  readonly onFilter: (term: string) => void
}

function Term({ term, label = term, onFilter }: TermProps) {
  return (
    <Button size="compact-xs" variant="light" onClick={() => onFilter(term)} title={`Show only ${term}`}>
      {toVisible(label)}
    </Button>
  )
}

interface RelatedProps {
  readonly row: TimelineRow
  readonly related: ApiResult<'timeline.message'>['related']
  readonly onChoose: (id: number) => void
}

/** Everything of one call on one scale of time: request and answer, notifications, further rounds. */
function Related({ row, related, onChoose }: RelatedProps) {
  const rows = [...related, row].sort((a, b) => a.id - b.id)
  const start = Math.min(...rows.map(({ at }) => at))
  const end = Math.max(...rows.map(({ at, kind, durationMs }) => at + (kind === 'request' ? (durationMs ?? 0) : 0)))
  const scale = (at: number) => ((at - start) / Math.max(1, end - start)) * 100
  const rounds = rows.filter(({ kind, direction }) => kind === 'request' && direction === rows[0]?.direction).length
  return (
    <Stack gap="xs">
      <div className={classes.facts}>
        {toDuration(end - start)} in all{rounds > 1 && `, ${rounds} rounds`}
      </div>
      <ol className={classes.related}>
        {rows.map((one) => (
          <li key={one.id}>
            <UnstyledButton
              className={classes.step}
              data-current={one.id === row.id || undefined}
              aria-current={one.id === row.id ? 'true' : undefined}
              onClick={() => onChoose(one.id)}
            >
              <span className={classes.stepTime}>{toTime(one.at)}</span>
              <span className={classes.stepName}>
                {one.direction === 'out' ? '→ ' : '← '}
                {toVisible(one.method === '' ? one.kind : one.method)}
                {one.kind === 'response' || one.kind === 'error' ? ` · ${KINDS[one.kind].word.toLowerCase()}` : ''}
              </span>
              <span className={classes.track} aria-hidden="true">
                <span
                  className={classes.span}
                  data-kind={one.kind}
                  style={{
                    left: `${Math.min(98, scale(one.at))}%`,
                    width: `${Math.max(2, one.kind === 'request' ? scale(start + (one.durationMs ?? 0)) : 0)}%`,
                  }}
                />
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ol>
    </Stack>
  )
}
