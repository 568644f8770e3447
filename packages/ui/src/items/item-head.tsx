/** What an item is, whose it is, what it claims to do, and what speaks against using it. */

import { Button, Stack, Title, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { showDone, useAction } from '../app/data/use-api.ts'
import { toAgo, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Difference } from '../parts/difference/difference.tsx'
import { TextBlock } from '../parts/text-block.tsx'
import classes from './item-head.module.css'
import { addressOf, titleOf } from './item-row.tsx'
import type { Item } from './item-store.ts'

export function ItemHead({ item, actions }: { readonly item: Item; readonly actions?: ReactNode }) {
  const { server, name, definition } = item
  const shown = addressOf(item) ?? name
  return (
    <Stack gap="sm">
      <header className={classes.head}>
        <div className={classes.names}>
          <Title order={2} className={classes.title}>
            {toVisible(definition.title ?? titleOf(item))}
          </Title>
          <div className={classes.sub}>
            <a href={`#/servers?${new URLSearchParams({ open: server }).toString()}`}>{toVisible(server)}</a>
            <span className={classes.address}>{toVisible(shown)}</span>
            <CopyButton text={() => shown} label="Copy the name" />
          </div>
        </div>
        {actions}
      </header>
      <Claims item={item} />
      {definition.description !== undefined && (
        <div className={classes.description}>
          <TextBlock text={definition.description} most={1_500} bare />
        </div>
      )}
      <QuarantineNote item={item} />
      {item.quarantine !== undefined && <Difference parts={item.quarantine.difference} />}
      <FindingsNote item={item} />
    </Stack>
  )
}

function Claims({ item }: { readonly item: Item }) {
  if (item.kind === 'tool') {
    const { readOnlyHint, destructiveHint, openWorldHint, idempotentHint } = item.definition.annotations ?? {}
    const claims = [
      readOnlyHint === true && 'read-only',
      readOnlyHint !== true && destructiveHint === true && 'destructive',
      openWorldHint === true && 'external access',
      idempotentHint === true && 'safe to repeat',
    ].filter((claim) => claim !== false)
    if (claims.length === 0) return null
    return (
      <Tooltip label="Stated by the server; used by rules only if you trust the server" multiline maw={260}>
        <div className={classes.claims}>
          {claims.map((claim) => (
            <Chip key={claim} tone={claim === 'destructive' ? 'warn' : 'calm'} icon={false}>
              {claim}
            </Chip>
          ))}
        </div>
      </Tooltip>
    )
  }
  const type = item.kind === 'prompt' ? undefined : item.definition.mimeType
  if (type === undefined) return null
  return (
    <div className={classes.claims}>
      <Chip tone="calm" icon={false}>
        {toVisible(type)}
      </Chip>
    </div>
  )
}

function QuarantineNote({ item }: { readonly item: Item }) {
  const approve = useAction('items.approve')
  const { quarantine, server, ownName, kind } = item
  if (quarantine === undefined) return null
  return (
    <Note
      tone="warn"
      role="alert"
      title="Changed since you allowed it; it cannot be used"
      actions={
        <Button
          size="compact-sm"
          loading={approve.busy}
          onClick={async () => {
            const isDone = await approve.run({ server, item: ownName, kind })
            if (isDone !== undefined) showDone('Change allowed')
          }}
        >
          Allow the change
        </Button>
      }
    >
      Noticed {toAgo(quarantine.since)}. Compare what it was with what it is.
    </Note>
  )
}

const FINDINGS = {
  control: 'control characters',
  bidirectional: 'characters that reverse the text direction',
  invisible: 'invisible characters',
  tag: 'text hidden in tag characters',
  'escape-sequence': 'terminal commands',
  'mixed-scripts': 'letters that look like those of another alphabet',
} as const

function FindingsNote({ item: { findings } }: { readonly item: Item }) {
  if (findings.length === 0) return null
  const isHidden = findings.some(({ what }) => what !== 'mixed-scripts')
  const title = isHidden
    ? 'The server’s text has hidden characters; they are made visible here'
    : 'The name can be taken for another one'
  return (
    <Note tone="warn" title={title}>
      <ul className={classes.findings}>
        {findings.map(({ part, what, codes }) => (
          <li key={`${part} ${what}`}>
            <code>{toVisible(part)}</code>: {FINDINGS[what]} ({codes.slice(0, 8).join(', ')})
          </li>
        ))}
      </ul>
    </Note>
  )
}
