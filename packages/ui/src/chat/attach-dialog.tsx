/** Chooses a resource or a prompt to go along with the next message. */

import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { DrawingPinIcon, MagnifyingGlassIcon } from '@radix-ui/react-icons'
import type { Attachment, Pin } from 'portico/web-api'
import { useState } from 'react'
import { useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toSize, toVisible } from '../app/text/text.ts'
import { titleOf } from '../items/item-row.tsx'
import type { Item, ItemOf } from '../items/item-store.ts'
import classes from './attach-dialog.module.css'
import { PromptChoice } from './prompt-choice.tsx'

interface AttachDialogProps {
  readonly opened: boolean
  /** Only of the servers of this project. */
  readonly project: string | undefined
  /** Was chosen already, by its name. */
  readonly prompt?: ItemOf<'prompt'> | undefined
  readonly onClose: () => void
  readonly onAttach: (attachment: Attachment) => void
  /** Sends a resource along with every message; undefined where that cannot be. */
  readonly onPin: ((pin: Pin) => void) | undefined
}

export function AttachDialog({ opened, project, prompt, onClose, onAttach, onPin }: AttachDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Attach" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      {opened && (
        <Chooser
          first={prompt}
          project={project}
          onPin={
            onPin &&
            ((pin) => {
              onPin(pin)
              onClose()
            })
          }
          onAttach={(attachment) => {
            onAttach(attachment)
            onClose()
          }}
        />
      )}
    </Modal>
  )
}

const MAX_SHOWN = 60

interface ChooserProps extends Pick<AttachDialogProps, 'project' | 'onAttach' | 'onPin'> {
  readonly first: ItemOf<'prompt'> | undefined
}

function Chooser({ first, project, onAttach, onPin }: ChooserProps) {
  const [kind, setKind] = useState<'resource' | 'prompt'>(first === undefined ? 'resource' : 'prompt')
  const [typed, setTyped] = useState('')
  const [query] = useDebouncedValue(typed.trim(), 150)
  const [prompt, setPrompt] = useState(first)
  const { data, error, reload } = useApi('items.list', {
    kind,
    ...(query !== '' && { query }),
    ...(project !== undefined && { project }),
  })
  if (prompt !== undefined)
    return <PromptChoice item={prompt} onAttach={onAttach} onBack={() => setPrompt(undefined)} />
  const items = (data?.items ?? []).filter((item) => item.kind === kind && item.quarantine === undefined)
  const choose = (item: Item) => {
    if (item.kind === 'prompt') setPrompt(item)
    else if (item.kind === 'resource') onAttach({ kind: item.kind, server: item.server, name: item.name })
  }
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <SegmentedControl
          aria-label="Kind"
          data={[
            { value: 'resource', label: 'Resources' },
            { value: 'prompt', label: 'Prompts' },
          ]}
          value={kind}
          onChange={setKind}
        />
        <TextInput
          className={classes.search}
          aria-label="Search"
          placeholder="Search"
          data-autofocus
          leftSection={<MagnifyingGlassIcon aria-hidden="true" />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Group>
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Waiting rows={5} height={40} />}
      {data !== undefined && items.length === 0 && (
        <Text c="dimmed" py="lg" ta="center">
          {query === '' ? `No server offers a ${kind}.` : 'No match.'}
        </Text>
      )}
      <ul className={classes.list}>
        {items.slice(0, MAX_SHOWN).map((item) => (
          <ItemLine key={`${item.server} ${item.name}`} item={item} onChoose={() => choose(item)} onPin={onPin} />
        ))}
      </ul>
      {items.length > MAX_SHOWN && <Text c="dimmed">There are more: search to find them.</Text>}
    </Stack>
  )
}

interface ItemLineProps extends Pick<AttachDialogProps, 'onPin'> {
  readonly item: Item
  readonly onChoose: () => void
}

function ItemLine({ item, onChoose, onPin }: ItemLineProps) {
  return (
    <li className={classes.line}>
      <UnstyledButton className={classes.item} onClick={onChoose}>
        <span className={classes.name}>{toVisible(titleOf(item))}</span>
        <span className={classes.sub}>
          {toVisible(item.server)}
          {item.kind === 'resource' && ` · ${toVisible(item.definition.uri)}`}
          {item.kind === 'resource' && item.definition.size !== undefined && ` · ${toSize(item.definition.size)}`}
        </span>
      </UnstyledButton>
      {item.kind === 'resource' && onPin !== undefined && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<DrawingPinIcon />}
          aria-label={`Pin ${titleOf(item)}`}
          title="Send it with every message, always up to date"
          onClick={() => onPin({ server: item.server, uri: item.ownName })}
        >
          Pin
        </Button>
      )}
    </li>
  )
}
