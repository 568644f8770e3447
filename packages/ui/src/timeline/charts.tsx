/** Calls, errors and how long they take, by minute and by server: small pictures, and the numbers as a table. */

import { Group, SimpleGrid, Stack, Switch, Table, Title } from '@mantine/core'
import { BarChartIcon } from '@radix-ui/react-icons'
import type { TimelineStats } from 'portico/web-api'
import { type ReactNode, useState } from 'react'
import { useApiEvent } from '../app/data/events.ts'
import { useApi } from '../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { toDuration, toVisible } from '../app/text/text.ts'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { axisFor, fillMinutes } from './chart.ts'
import classes from './charts.module.css'

type Minute = TimelineStats['minutes'][number]

export function Charts() {
  const { data, error, reload } = useApi('timeline.stats', {})
  const [asTable, setAsTable] = useState(false)
  useApiEvent('timeline', reload)
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  if (data === undefined) return <Waiting rows={2} height={220} />
  const minutes = fillMinutes(data.minutes, (at) => ({ at, calls: 0, errors: 0, p50: 0, p95: 0 }))
  if (minutes.length === 0) {
    return (
      <Empty icon={<BarChartIcon width={22} height={22} />} title="No data yet">
        Charts appear once servers have answered something.
      </Empty>
    )
  }
  return (
    <Stack gap="lg" className={classes.all}>
      <Group justify="flex-end">
        <Switch
          label="Numbers as tables"
          checked={asTable}
          onChange={(event) => setAsTable(event.currentTarget.checked)}
        />
      </Group>
      {asTable ? (
        <MinuteTable minutes={data.minutes} />
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <CallChart minutes={minutes} />
          <LatencyChart minutes={minutes} />
        </SimpleGrid>
      )}
      <ServerTable servers={data.servers} />
    </Stack>
  )
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [560, 220, 52, 22, 10]

interface FrameProps {
  readonly title: string
  readonly words: string
  readonly legend: readonly (readonly [string, string])[]
  readonly max: number
  readonly minutes: readonly Minute[]
  readonly show: (value: number) => string
  readonly draw: (x: (place: number) => number, y: (value: number) => number, step: number) => ReactNode
}

function ChartFrame({ title, words, legend, max, minutes, show, draw }: FrameProps) {
  const axis = axisFor(max)
  const step = (WIDTH - LEFT) / minutes.length
  const x = (place: number) => LEFT + place * step
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / axis.max)
  const every = Math.max(1, Math.ceil(minutes.length / 6))
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.caption}>
        <Title order={2} size="h3">
          {title}
        </Title>
        <span className={classes.legend}>
          {legend.map(([name, tone]) => (
            <span key={name} className={classes.key} data-tone-of={tone}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <svg className={classes.svg} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        {axis.ticks.map((tick) => (
          <g key={tick}>
            <line className={classes.grid} x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
            <text className={classes.tick} x={LEFT - 6} y={y(tick) + 3} textAnchor="end">
              {show(tick)}
            </text>
          </g>
        ))}
        {minutes.map(({ at }, place) =>
          place % every === 0 ? (
            <text key={at} className={classes.tick} x={x(place) + step / 2} y={HEIGHT - 5} textAnchor="middle">
              {toMinute(at)}
            </text>
          ) : null,
        )}
        {draw(x, y, step)}
      </svg>
    </figure>
  )
}

function CallChart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const calls = minutes.reduce((sum, minute) => sum + minute.calls, 0)
  const errors = minutes.reduce((sum, minute) => sum + minute.errors, 0)
  return (
    <ChartFrame
      title="Calls by minute"
      words={`${calls} calls, of which ${errors} failed, in ${minutes.length} minutes`}
      legend={[
        ['answered', 'good'],
        ['failed', 'bad'],
      ]}
      max={Math.max(...minutes.map((minute) => minute.calls))}
      minutes={minutes}
      show={(value) => value.toLocaleString()}
      draw={(x, y, step) =>
        minutes.map((minute, place) => {
          const width = Math.max(1.5, Math.min(26, step * 0.7))
          const left = x(place) + (step - width) / 2
          return (
            <g key={minute.at}>
              <title>{`${toMinute(minute.at)}: ${minute.calls} calls, ${minute.errors} failed`}</title>
              <rect
                className={classes.calls}
                x={left}
                width={width}
                y={y(minute.calls)}
                height={y(0) - y(minute.calls)}
              />
              <rect
                className={classes.errors}
                x={left}
                width={width}
                y={y(minute.errors)}
                height={y(0) - y(minute.errors)}
              />
            </g>
          )
        })
      }
    />
  )
}

function LatencyChart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const busy = minutes.filter(({ calls }) => calls > 0)
  const worst = Math.max(...busy.map(({ p95 }) => p95), 0)
  const path = (
    of: (minute: Minute) => number,
    x: (place: number) => number,
    y: (value: number) => number,
    step: number,
  ) =>
    minutes
      .flatMap((minute, place) => (minute.calls === 0 ? [] : [`${x(place) + step / 2},${y(of(minute))}`]))
      .join(' ')
  return (
    <ChartFrame
      title="Response time"
      words={`p50 ${toDuration(busy.at(-1)?.p50 ?? 0)} in the last minute; highest p95 ${toDuration(worst)}`}
      legend={[
        ['p50', 'p50'],
        ['p95', 'p95'],
      ]}
      max={worst}
      minutes={minutes}
      show={(value) => (value === 0 ? '0' : toDuration(value))}
      draw={(x, y, step) => (
        <>
          <polyline className={classes.p95} points={path(({ p95 }) => p95, x, y, step)} />
          <polyline className={classes.p50} points={path(({ p50 }) => p50, x, y, step)} />
          {minutes.map((minute, place) =>
            minute.calls === 0 ? null : (
              <g key={minute.at}>
                <title>{`${toMinute(minute.at)}: p50 ${toDuration(minute.p50)}, p95 ${toDuration(minute.p95)}`}</title>
                <circle className={classes.dot95} cx={x(place) + step / 2} cy={y(minute.p95)} r={2.6} />
                <circle className={classes.dot50} cx={x(place) + step / 2} cy={y(minute.p50)} r={2.6} />
              </g>
            ),
          )}
        </>
      )}
    />
  )
}

function MinuteTable({ minutes }: { readonly minutes: readonly Minute[] }) {
  return (
    <Numbers
      title="By minute"
      first="Minute"
      rows={minutes.map((minute) => ({ name: toMinute(minute.at), ...minute }))}
    />
  )
}

function ServerTable({ servers }: { readonly servers: TimelineStats['servers'] }) {
  return (
    <Numbers
      title="By server"
      first="Server"
      rows={[...servers].sort((a, b) => b.calls - a.calls).map((one) => ({ name: toVisible(one.server), ...one }))}
    />
  )
}

interface NumbersProps {
  readonly title: string
  readonly first: string
  readonly rows: readonly (Omit<Minute, 'at'> & { readonly name: string })[]
}

function Numbers({ title, first, rows }: NumbersProps) {
  return (
    <section className={classes.figure}>
      <Title order={2} size="h3" mb="xs">
        {title}
      </Title>
      <ScrollBox className={classes.scroll} label={title}>
        <Table fz="sm" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{first}</Table.Th>
              {['Calls', 'Failed', 'p50', 'p95'].map((name) => (
                <Table.Th key={name} ta="right">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, calls, errors, p50, p95 }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={500}>
                  {name}
                </Table.Th>
                <Table.Td ta="right">{calls.toLocaleString()}</Table.Td>
                <Table.Td ta="right">{errors.toLocaleString()}</Table.Td>
                <Table.Td ta="right">{toDuration(p50)}</Table.Td>
                <Table.Td ta="right">{toDuration(p95)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </section>
  )
}

function toMinute(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
}
