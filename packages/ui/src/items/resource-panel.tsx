/** One resource: read it, watch it, give it to a chat. A template is the same once its variables have values. */

import { Button, Group, Stack, Switch, TextInput, Title } from '@mantine/core'
import { ChatBubbleIcon, PlayIcon } from '@radix-ui/react-icons'
import { useMemo, useState } from 'react'
import { useServers } from '../app/data/server-store.ts'
import { go } from '../app/route.ts'
import { toAgo, toCount, toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { withMember } from '../parts/json.ts'
import { CompletingField } from './completing-field.tsx'
import { CopyMenu } from './copy-menu.tsx'
import { ItemHead } from './item-head.tsx'
import { type ItemOf, keyOf, markSeen, setDraft, setWatch, useDraft, useWatch } from './item-store.ts'
import classes from './panel.module.css'
import { startRun, useRun } from './run-store.ts'
import { RunView } from './run-view.tsx'
import { readTemplate } from './template-form.ts'

export function ResourcePanel({ item }: { readonly item: ItemOf<'resource'> }) {
  const { server, name, definition, quarantine } = item
  return (
    <div className={classes.panel}>
      <ItemHead
        item={item}
        actions={<CopyMenu kind="resource" server={server} ownName={definition.uri} arguments={{}} />}
      />
      <Reading runKey={keyOf(item)} server={server} uri={name} isBlocked={quarantine !== undefined} />
    </div>
  )
}

export function TemplatePanel({ item }: { readonly item: ItemOf<'template'> }) {
  const { server, definition, quarantine } = item
  const key = keyOf(item)
  const draft = useDraft(key) ?? {}
  const { names, expand } = useMemo(() => readTemplate(definition.uriTemplate), [definition.uriTemplate])
  const values = new Map(names.map((name) => [name, String(draft[name] ?? '')]))
  const uri = expand(values)
  const others = (name: string) =>
    Object.fromEntries([...values].filter(([other, value]) => other !== name && value !== ''))
  return (
    <div className={classes.panel}>
      <ItemHead item={item} actions={<CopyMenu kind="resource" server={server} ownName={uri} arguments={{}} />} />
      <Stack gap="md" component="section" aria-label="Variables">
        {names.map((name) => (
          <CompletingField
            key={name}
            server={server}
            reference={{ type: 'ref/resource', uri: definition.uriTemplate }}
            name={name}
            label={name}
            value={values.get(name) ?? ''}
            others={others(name)}
            onChange={(next) => setDraft(key, withMember(draft, name, next === '' ? undefined : next))}
          />
        ))}
        <output className={classes.address} aria-label="Address">
          {toVisible(uri)}
        </output>
      </Stack>
      <Reading runKey={key} server={server} uri={uri} isBlocked={quarantine !== undefined} />
    </div>
  )
}

/** Any address, such as one that a tool's result named. */
export function AddressPanel({ uri: given }: { readonly uri: string }) {
  const [uri, setUri] = useState(given)
  return (
    <div className={classes.panel}>
      <Title order={2}>Read an address</Title>
      <TextInput
        label="Address"
        description="Read from the server that offers it"
        value={uri}
        onChange={(event) => setUri(event.currentTarget.value)}
      />
      <Reading runKey={`address ${uri}`} server={undefined} uri={uri} isBlocked={uri.trim() === ''} />
    </div>
  )
}

interface ReadingProps {
  readonly runKey: string
  readonly server: string | undefined
  readonly uri: string
  readonly isBlocked: boolean
}

function Reading({ runKey, server, uri, isBlocked }: ReadingProps) {
  const state = useRun(runKey)
  const watch = useWatch(server ?? '', uri)
  const { servers = [] } = useServers()
  const read = () => {
    if (server !== undefined) markSeen(server, uri)
    void startRun(runKey, { method: 'resources.read', params: { uri, ...(server !== undefined && { server }) } })
  }
  const isDown =
    server !== undefined && servers.some(({ name, state: { state } }) => name === server && state === 'failed')
  return (
    <>
      <Group gap="md">
        <Button leftSection={<PlayIcon />} onClick={read} loading={state?.status === 'running'} disabled={isBlocked}>
          Read
        </Button>
        {server !== undefined && (
          <>
            <Button
              variant="default"
              leftSection={<ChatBubbleIcon />}
              disabled={isBlocked}
              onClick={() => go('/chat', { attach: JSON.stringify({ kind: 'resource', server, name: uri }) })}
            >
              Use in a chat
            </Button>
            <Switch
              label="Watch for changes"
              checked={watch !== undefined}
              disabled={isBlocked || isDown}
              onChange={(event) => void setWatch(server, uri, event.currentTarget.checked)}
            />
          </>
        )}
      </Group>
      {watch !== undefined && watch.changes > 0 && (
        <Note
          tone="busy"
          role="status"
          title={`Changed ${watch.changedAt === undefined ? '' : toAgo(watch.changedAt)}`}
          actions={
            <Button size="compact-sm" onClick={read}>
              Read again
            </Button>
          }
        >
          {toCount(watch.changes, 'change')} since it was last read.
        </Note>
      )}
      {state !== undefined && <RunView state={state} server={server ?? ''} />}
    </>
  )
}
