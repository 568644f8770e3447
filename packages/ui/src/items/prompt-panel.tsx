/** One prompt: its arguments, with what the server proposes, and the messages that they make. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { ChatBubbleIcon, PlayIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { go } from '../app/route.ts'
import { withMember } from '../parts/json.ts'
import { CompletingField } from './completing-field.tsx'
import { CopyMenu } from './copy-menu.tsx'
import { ItemHead } from './item-head.tsx'
import { type ItemOf, keyOf, setDraft, useDraft } from './item-store.ts'
import classes from './panel.module.css'
import { startRun, useRun } from './run-store.ts'
import { RunView } from './run-view.tsx'

export function PromptPanel({ item }: { readonly item: ItemOf<'prompt'> }) {
  const { definition, server, ownName, name, quarantine } = item
  const key = keyOf(item)
  const draft = useDraft(key) ?? {}
  const values = textsOf(draft)
  const state = useRun(key)
  const [tried, setTried] = useState(false)
  const fields = definition.arguments ?? []
  const missing = fields.filter((field) => field.required === true && (values[field.name] ?? '') === '')
  const run = () => {
    setTried(true)
    if (missing.length === 0) void startRun(key, { method: 'prompts.get', params: { name, arguments: values } })
  }
  return (
    <div className={classes.panel}>
      <ItemHead item={item} actions={<CopyMenu kind="prompt" server={server} ownName={ownName} arguments={values} />} />
      <Stack gap="md" component="section" aria-label="Arguments">
        {fields.map((field) => (
          <CompletingField
            key={field.name}
            server={server}
            reference={{ type: 'ref/prompt', name: ownName }}
            name={field.name}
            label={field.title ?? field.name}
            description={field.description}
            required={field.required === true}
            error={tried && missing.includes(field) ? 'Required' : undefined}
            value={values[field.name] ?? ''}
            others={textsOf(withMember(draft, field.name, undefined))}
            onChange={(next) => setDraft(key, withMember(draft, field.name, next === '' ? undefined : next))}
          />
        ))}
        {fields.length === 0 && <Text c="dimmed">It takes no arguments.</Text>}
        <Group gap="xs">
          <Button
            leftSection={<PlayIcon />}
            onClick={run}
            loading={state?.status === 'running'}
            disabled={quarantine !== undefined}
          >
            Get the prompt
          </Button>
          <Button
            variant="default"
            leftSection={<ChatBubbleIcon />}
            disabled={quarantine !== undefined || missing.length > 0}
            onClick={() => go('/chat', { attach: JSON.stringify({ kind: 'prompt', server, name, arguments: values }) })}
          >
            Use in a chat
          </Button>
        </Group>
      </Stack>
      {state !== undefined && <RunView state={state} server={server} />}
    </div>
  )
}

function textsOf(record: { readonly [name: string]: unknown }): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
