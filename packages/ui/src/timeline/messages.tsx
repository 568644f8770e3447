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
import { indexOf, rowAt } from './row-window.ts'
import { useRows } from './use-rows.ts'

export function Messages() {
  const { query } = useRoute()
  const filter = query.get('filter') ?? ''
  const given = Number(query.get('id') ?? Number.NaN)
  const chosen = Number.isSafeInteger(given) ? given : undefined
  const { window, problem, error, isFirst, onRange, reload } = useRows(filter)
  const [pinned, setPinned] = useState<number>()
  const [isFollowing, setFollowing] = useState(true)
  const [sight, setSight] = useState<readonly [number, number]>([0, -1])
  const lanes = useRef(new Lanes())
  const choose = (id: number | undefined) => go('/timeline', { filter: filter || undefined, id: id?.toString() })
  const setFilter = (next: string) => {
    setFollowing(true)
    go('/timeline', { filter: next || undefined, id: chosen?.toString() })
  }
  const addTerm = (term: string) => setFilter(filter.includes(term) ? filter : `${filter} ${term}`.trim())
  // The picture follows when the scrolling rests.
  const settle = useDebouncedCallback((first: number, last: number) => setSight([first, last]), 120)
  const looked = useCallback(
    (first: number, last: number) => {
      settle(first, last)
      onRange(first, last)
    },
    [onRange, settle],
  )
  const inSight = useMemo(() => {
    const found: TimelineRow[] = []
    for (let index = sight[0]; index <= sight[1]; index++) {
      const row = rowAt(window, index)
      if (row !== undefined) found.push(row)
    }
    return found
  }, [window, sight])
  for (const { connection } of inSight) lanes.current.of(connection)
  // A row that is not here yet is chosen when it has come.
  const [wanted, setWanted] = useState<number>()
  const arrived = wanted === undefined ? undefined : rowAt(window, wanted)?.id
  useEffect(() => {
    if (arrived === undefined) return
    setWanted(undefined)
    go('/timeline', { filter: filter || undefined, id: arrived.toString() })
  }, [arrived, filter])
  const group = window.rows.find(({ id }) => id === chosen)?.group
  const list = (
    <>
      <Group className={classes.bar} gap="xs" wrap="nowrap">
        <FilterBox value={filter} onChange={setFilter} problem={problem} />
      </Group>
      <LaneChart rows={inSight} chosen={chosen} onChoose={choose} />
      {error !== undefined && (
        <div className={classes.pad}>
          <FailureNote error={error} onRetry={reload} />
        </div>
      )}
      {isFirst && (
        <div className={classes.pad}>
          <Waiting rows={8} height={26} />
        </div>
      )}
      {!isFirst && window.total === 0 && error === undefined && (
        <div className={classes.pad}>
          <Empty
            icon={<ActivityLogIcon width={22} height={22} />}
            title={filter === '' ? 'No messages yet' : 'No message matches'}
          >
            {filter === '' ? (
              <>
                Every message between Portico and its servers shows up here. <a href="#/tools">Run a tool</a> to see
                some.
              </>
            ) : (
              'Try a wider filter; the question mark explains filters.'
            )}
          </Empty>
        </div>
      )}
      {window.total > 0 && (
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
              onRange={looked}
              follow={isFollowing}
              onFollow={setFollowing}
              row={(index) => {
                const row = rowAt(window, index)
                return (
                  <RowView
                    row={row}
                    lane={row === undefined ? 0 : lanes.current.of(row.connection)}
                    lanes={lanes.current.count}
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
              <Button
                size="compact-xs"
                variant="light"
                leftSection={<PinBottomIcon />}
                onClick={() => setFollowing(true)}
              >
                Jump to newest
              </Button>
            )}
          </Group>
        </>
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
