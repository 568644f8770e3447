/** The timeline: every message on every connection, charts of them, and recordings to files. */

import { Button, SegmentedControl } from '@mantine/core'
import { StopIcon, TrashIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { Confirm } from '../app/confirm.tsx'
import { useAction } from '../app/data/use-api.ts'
import { Page } from '../app/page.tsx'
import { go, useRoute } from '../app/route.ts'
import { Charts } from './charts.tsx'
import { Messages } from './messages.tsx'
import { setRecording, useRecording } from './recording-store.ts'
import { Recordings } from './recordings.tsx'
import classes from './screen.module.css'

const VIEWS = [
  { value: 'messages', label: 'Messages' },
  { value: 'charts', label: 'Charts' },
  { value: 'recordings', label: 'Recordings' },
]

export function TimelineScreen() {
  const { query } = useRoute()
  const view = query.get('view') ?? 'messages'
  const clear = useAction('timeline.clear')
  const [asks, setAsks] = useState(false)
  const [turn, setTurn] = useState(0)
  return (
    <Page
      title="Timeline"
      lead="Every message between Portico and its servers, as it happens."
      fill
      actions={
        <>
          <SegmentedControl
            aria-label="View"
            data={VIEWS}
            value={view}
            onChange={(next) => go('/timeline', { view: next === 'messages' ? undefined : next })}
          />
          <RecordButton onStopped={() => setTurn(turn + 1)} />
          <Button variant="subtle" color="gray" leftSection={<TrashIcon />} onClick={() => setAsks(true)}>
            Clear
          </Button>
        </>
      }
    >
      {view === 'charts' && <Charts />}
      {view === 'recordings' && <Recordings key={turn} />}
      {view !== 'charts' && view !== 'recordings' && <Messages key={turn} />}
      <Confirm
        opened={asks}
        title="Clear the timeline?"
        deed="Clear"
        busy={clear.busy}
        onClose={() => setAsks(false)}
        onConfirm={async () => {
          await clear.run({})
          setAsks(false)
          setTurn(turn + 1)
        }}
      >
        All messages and their numbers are forgotten. Recordings and the audit log stay.
      </Confirm>
    </Page>
  )
}

function RecordButton({ onStopped }: { readonly onStopped: () => void }) {
  const { isOn, isBusy } = useRecording()
  return (
    <Button
      variant={isOn ? 'filled' : 'default'}
      color={isOn ? 'red' : undefined}
      loading={isBusy}
      leftSection={isOn ? <StopIcon /> : <span className={classes.dot} aria-hidden="true" />}
      onClick={async () => {
        await setRecording(!isOn)
        if (isOn) onStopped()
      }}
    >
      {isOn ? 'Stop recording' : 'Record'}
    </Button>
  )
}
