/** What was run before: look at it again, change it and send it again, copy it as code. */

import { Button, Drawer, Group, Stack, Switch, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ClockIcon, CounterClockwiseClockIcon, Pencil2Icon } from '@radix-ui/react-icons'
import type { HistoryEntry } from 'portico/web-api'
import { useState } from 'react'
import { useApiEvent } from '../app/data/events.ts'
import { useAction, useApi } from '../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { go } from '../app/route.ts'
import { toAgo, toClock, toDuration, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import type { JsonRecord } from '../parts/json.ts'
import { JsonView } from '../parts/json-view.tsx'
import { CopyMenu } from './copy-menu.tsx'
import classes from './history-drawer.module.css'
import { keyOf, setDraft } from './item-store.ts'
import type { RunResult } from './run-store.ts'
import { AnswerView } from './run-view.tsx'

export function HistoryButton({ kind }: { readonly kind: HistoryEntry['kind'] }) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" leftSection={<CounterClockwiseClockIcon />} onClick={open}>
        History
      </Button>
      <Drawer
        opened={opened}
        onClose={close}
        title="History"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close the history' }}
      >
        {opened && <History kind={kind} onClose={close} />}
      </Drawer>
    </>
  )
}

function History({ kind, onClose }: { readonly kind: HistoryEntry['kind']; readonly onClose: () => void }) {
  const { data, error, reload } = useApi('history.list', {})
  const clear = useAction('history.clear')
  const [all, setAll] = useState(false)
  const [open, setOpen] = useState<string>()
  useApiEvent('history', reload)
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  if (data === undefined) return <Waiting />
  const entries = [...data.entries].filter((entry) => all || entry.kind === kind).sort((a, b) => b.at - a.at)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Switch label="All kinds" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          loading={clear.busy}
          disabled={data.entries.length === 0}
          onClick={async () => {
            await clear.run({})
            reload()
          }}
        >
          Clear history
        </Button>
      </Group>
      {entries.length === 0 && (
        <Empty icon={<ClockIcon width={22} height={22} />} title="Nothing was run yet">
          What you run on this screen is kept here, to view and send again.
        </Empty>
      )}
      {entries.slice(0, 300).map((entry) => (
        <Entry
          key={entry.run}
          entry={entry}
          isOpen={open === entry.run}
          onToggle={() => setOpen(open === entry.run ? undefined : entry.run)}
          onResend={() => {
            resend(entry)
            onClose()
          }}
        />
      ))}
    </Stack>
  )
}

const TONES = { ok: 'good', error: 'bad', cancelled: 'calm' } as const
const WORDS = { ok: 'Done', error: 'Failed', cancelled: 'Cancelled' } as const

interface EntryProps {
  readonly entry: HistoryEntry
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onResend: () => void
}

function Entry({ entry, isOpen, onToggle, onResend }: EntryProps) {
  const { name, server, status, at, durationMs, error, arguments: args } = entry
  const answer = answerOf(entry)
  return (
    <article className={classes.entry}>
      <UnstyledButton className={classes.head} aria-expanded={isOpen} onClick={onToggle}>
        <span className={classes.name}>{toVisible(name)}</span>
        <Chip tone={TONES[status]}>{WORDS[status]}</Chip>
        <span className={classes.sub} title={toClock(at)}>
          {toVisible(server)} · {toAgo(at)} · {toDuration(durationMs)}
        </span>
      </UnstyledButton>
      {isOpen && (
        <Stack gap="sm" className={classes.body}>
          <Group gap="xs">
            <Button size="xs" leftSection={<Pencil2Icon />} onClick={onResend}>
              Edit and send again
            </Button>
            <CopyMenu kind={entry.kind} server={server} ownName={ownNameOf(entry)} arguments={args as JsonRecord} />
          </Group>
          {Object.keys(args).length > 0 && <JsonView value={args} label="Arguments" open={3} />}
          {error !== undefined && <Note tone="bad" title={toVisible(error)} />}
          {answer !== undefined && <AnswerView answer={answer} />}
        </Stack>
      )}
    </article>
  )
}

function resend(entry: HistoryEntry): void {
  const { kind, server, name } = entry
  // Arguments in the history are the JSON that was sent.
  setDraft(keyOf({ kind, server, name }), entry.arguments as JsonRecord)
  if (kind === 'tool') go('/tools', { name, server })
  else if (kind === 'prompt') go('/prompts', { name, server })
  else go('/resources', { uri: name })
}

/** In the catalogue a tool is `server_tool`; the server itself knows `tool`. */
function ownNameOf({ kind, name, server }: HistoryEntry): string {
  return kind !== 'resource' && name.startsWith(`${server}_`) ? name.slice(server.length + 1) : name
}

function answerOf({ kind, result }: HistoryEntry): RunResult | undefined {
  if (result === undefined) return undefined
  const method = ({ tool: 'tools.call', resource: 'resources.read', prompt: 'prompts.get' } as const)[kind]
  // The program keeps each kind's own result.
  return { method, result } as unknown as RunResult
}
