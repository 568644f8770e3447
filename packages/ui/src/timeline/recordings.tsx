/** Traffic written to files: play one back as a server, or turn it into a test. */

import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core'
import { DownloadIcon, PlayIcon, VideoIcon } from '@radix-ui/react-icons'
import type { ApiResult, RecordingView } from 'portico/web-api'
import { useState } from 'react'
import { showDone, useAction, useApi } from '../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { go } from '../app/route.ts'
import { toAgo, toClock, toCount, toSize, toVisible } from '../app/text/text.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { TextBlock } from '../parts/text-block.tsx'
import { useRecording } from './recording-store.ts'
import classes from './recordings.module.css'

export function Recordings() {
  const { isOn } = useRecording()
  const { data, error, reload } = useApi('timeline.recordings', {})
  const [test, setTest] = useState<ApiResult<'timeline.exportTest'>>()
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  if (data === undefined) return <Waiting />
  const recordings = [...data.recordings].sort((a, b) => b.at - a.at)
  if (recordings.length === 0) {
    return (
      <Empty icon={<VideoIcon width={22} height={22} />} title={isOn ? 'Recording' : 'Nothing recorded yet'}>
        Press Record, use your servers, press Stop. A recording can be played back as a server, without the real one, or
        saved as a test.
      </Empty>
    )
  }
  return (
    <div className={classes.card}>
      <ul className={classes.list}>
        {recordings.map((recording) => (
          <RecordingRow key={recording.file} recording={recording} onTest={setTest} />
        ))}
      </ul>
      <Modal
        opened={test !== undefined}
        onClose={() => setTest(undefined)}
        title="A test from the recording"
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {test !== undefined && <TestView name={test.name} text={test.text} />}
      </Modal>
    </div>
  )
}

interface RecordingRowProps {
  readonly recording: RecordingView
  readonly onTest: (test: ApiResult<'timeline.exportTest'> | undefined) => void
}

function RecordingRow({ recording: { file, server, at, messages, bytes }, onTest }: RecordingRowProps) {
  const replay = useAction('timeline.replay')
  const exportTest = useAction('timeline.exportTest')
  return (
    <li className={classes.recording}>
      <div className={classes.words}>
        <span className={classes.file}>{toVisible(file.split(/[\\/]/).at(-1) ?? file)}</span>
        <span className={classes.facts} title={toClock(at)}>
          {server === undefined ? 'All servers' : toVisible(server)} · {toAgo(at)} · {toCount(messages, 'message')} ·{' '}
          {toSize(bytes)}
        </span>
      </div>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<PlayIcon />}
          loading={replay.busy}
          onClick={async () => {
            const made = await replay.run({ file })
            if (made === undefined) return
            showDone(`${made.server} answers from the recording`)
            go('/servers', { open: made.server })
          }}
        >
          Play as a server
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<DownloadIcon />}
          loading={exportTest.busy}
          onClick={async () => onTest(await exportTest.run({ file }))}
        >
          Save as a test
        </Button>
      </Group>
    </li>
  )
}

function TestView({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        Save it beside your server’s code and run <Code>npx vitest {name}</Code>.
      </Text>
      <TextBlock text={text} label={name} />
      <Group justify="flex-end" gap="xs">
        <CopyButton text={() => text} label="Copy the test" />
        <Button leftSection={<DownloadIcon />} onClick={() => download(name, text)}>
          Download
        </Button>
      </Group>
    </Stack>
  )
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
