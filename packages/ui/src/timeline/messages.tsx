/** The messages of all connections: filter, lanes, list and the one that is chosen. */

import { Button, Group, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { ActivityLogIcon, PinBottomIcon } from '@radix-ui/react-icons'
import type { TimelineRow } from 'portico/web-api'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { go, useRoute } from '../app/route.ts'
import { toCount } from '../app/text/text.ts'
import { ListDetail } from '../parts/list-detail.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { FilterBox } from './filter-box.tsx'
import { LaneChart } from './lane-chart.tsx'
import { MessageDetail } from './message-detail.tsx'
import classes from './messages.module.css'
import { Lanes, ROW_HEIGHT, RowView } from './row-view.tsx'
import { indexOf, type RowWindow, rowAt } from './row-window.ts'
import { type RowsState, useRows } from './use-rows.ts'

export function Messages() {
  const { query } = useRoute()
  const filter = query.get('filter') ?? ''
  const given = Number(query.get('id') ?? Number.NaN)
  const chosen = Number.isSafeInteger(given) ? given : undefined
  const rows = useRows(filter)
  const [pinned, setPinned] = useState<number>()
  const [isFollowing, setFollowing] = useState(true)
  const { inSight, onRange } = useSightOf(rows)
  const lanes = useRef(new Lanes())
  for (const { connection } of inSight) lanes.current.of(connection)
  const choose = (id: number | undefined) => go('/timeline', { filter: filter || undefined, id: id?.toString() })
  const setFilter = (next: string) => {
    setFollowing(true)
    go('/timeline', { filter: next || undefined, id: chosen?.toString() })
  }
  const addTerm = (term: string) => setFilter(filter.includes(term) ? filter : `${filter} ${term}`.trim())
  const list = (
    <>
      <Group className={classes.bar} gap="xs" wrap="nowrap">
        <FilterBox value={filter} onChange={setFilter} problem={rows.problem} />
      </Group>
      <LaneChart rows={inSight} chosen={chosen} onChoose={choose} />
      <Nothing rows={rows} filter={filter} />
      {rows.window.total > 0 && (
        <Rows
          window={rows.window}
          filter={filter}
          chosen={chosen}
          onChoose={choose}
          onRange={onRange}
          lanes={lanes.current}
          isFollowing={isFollowing}
          onFollow={setFollowing}
        />
      )}
    </>
  )
  return (
    <ListDetail
      wideList
      listLabel="Messages"
      detailLabel="Message"
      backLabel="All messages"
      onBack={() => choose(undefined)}
      list={list}
      detail={
        chosen === undefined ? undefined : (
          <MessageDetail id={chosen} pinned={pinned} onPin={setPinned} onChoose={choose} onFilter={addTerm} />
        )
      }
      empty={null}
    />
  )
}

/** The rows in sight, for the picture above the list; it follows when the scrolling rests. */
function useSightOf({ window, onRange: load }: RowsState) {
  const [sight, setSight] = useState<readonly [number, number]>([0, -1])
  const settle = useDebouncedCallback((first: number, last: number) => setSight([first, last]), 120)
  const onRange = useCallback(
    (first: number, last: number) => {
      settle(first, last)
      load(first, last)
    },
    [load, settle],
  )
  const inSight = useMemo(() => {
    const found: TimelineRow[] = []
    for (let index = sight[0]; index <= sight[1]; index++) {
      const row = rowAt(window, index)
      if (row !== undefined) found.push(row)
    }
    return found
  }, [window, sight])
  return { inSight, onRange }
}

/** Why no rows are shown: they cannot be loaded, are being loaded, or there are none. */
function Nothing({
  rows: { window, error, isFirst, reload },
  filter,
}: {
  readonly rows: RowsState
  readonly filter: string
}) {
  if (error === undefined && !isFirst && window.total > 0) return null
  const isEmpty = !isFirst && window.total === 0 && error === undefined
  return (
    <div className={classes.pad}>
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {isFirst && <Waiting rows={8} height={26} />}
      {isEmpty && (
        <Empty
          icon={<ActivityLogIcon width={22} height={22} />}
          title={filter === '' ? 'No messages yet' : 'No message matches'}
        >
          {filter === '' ? (
            <>
              Every message between Portico and its servers shows up here. <a href="#/tools">Run a tool</a> to see some.
            </>
          ) : (
            'Try a wider filter; the question mark explains filters.'
          )}
        </Empty>
      )}
    </div>
  )
}

interface RowsProps {
  readonly window: RowWindow
  readonly filter: string
  readonly chosen: number | undefined
  readonly onChoose: (id: number) => void
  readonly onRange: (first: number, last: number) => void
  readonly lanes: Lanes
  readonly isFollowing: boolean
  readonly onFollow: (isFollowing: boolean) => void
}

function Rows({ window, filter, chosen, onChoose, onRange, lanes, isFollowing, onFollow }: RowsProps) {
  // A row that is not here yet is chosen when it has come.
  const [wanted, setWanted] = useState<number>()
  const arrived = wanted === undefined ? undefined : rowAt(window, wanted)?.id
  const latest = useRef(onChoose)
  latest.current = onChoose
  useEffect(() => {
    if (arrived === undefined) return
    setWanted(undefined)
    latest.current(arrived)
  }, [arrived])
  const group = window.rows.find(({ id }) => id === chosen)?.group
  return (
    <>
      <div className={classes.rows}>
        <VirtualList
          key={filter}
          label="Messages"
          count={window.total}
          rowHeight={ROW_HEIGHT}
          keyOf={(index) => rowAt(window, index)?.id ?? `place ${index}`}
          selected={wanted ?? indexOf(window, chosen)}
          onSelect={setWanted}
          onRange={onRange}
          follow={isFollowing}
          onFollow={onFollow}
          row={(index) => {
            const row = rowAt(window, index)
            return (
              <RowView
                row={row}
                lane={row === undefined ? 0 : lanes.of(row.connection)}
                lanes={lanes.count}
                isRelated={row !== undefined && row.group === group && row.id !== chosen}
              />
            )
          }}
        />
      </div>
      <Group className={classes.foot} justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {toCount(window.total, 'message')}
        </Text>
        {!isFollowing && (
          <Button size="compact-xs" variant="light" leftSection={<PinBottomIcon />} onClick={() => onFollow(true)}>
            Jump to newest
          </Button>
        )}
      </Group>
    </>
  )
}
