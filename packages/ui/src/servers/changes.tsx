/** Definitions that changed after they were approved: the old and the new side by side, unusable until somebody says yes. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { CheckCircledIcon } from '@radix-ui/react-icons'
import type { ApiResult } from 'portico/web-api'
import { useEffect, useState } from 'react'
import { type ApiError, call } from '../app/data/api.ts'
import { useApiEvent } from '../app/data/events.ts'
import { showDone, toApiError, useAction } from '../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { toAgo, toVisible } from '../app/text/text.ts'
import { Difference } from '../parts/difference/difference.tsx'
import classes from './servers.module.css'

type Item = ApiResult<'items.list'>['items'][number]

/** So many pages are looked through at most. */
const MAX_PAGES = 40

export function Changes({ server }: { readonly server: string }) {
  const { items, error, reload } = useQuarantined(server)
  const { run, busy } = useAction('items.approve')
  useApiEvent('items-changed', reload)
  const approve = async (chosen: readonly Item[]) => {
    let isDone = true
    // The one that is refused has been told of; the others are not tried.
    for (const { ownName, kind } of chosen) isDone &&= (await run({ server, item: ownName, kind })) !== undefined
    if (isDone) showDone(chosen.length === 1 ? 'Allowed' : 'All allowed', server)
    reload()
  }
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  if (items === undefined) return <Waiting rows={3} height={120} />
  if (items.length === 0) {
    return (
      <Empty icon={<CheckCircledIcon width={22} height={22} />} title="Nothing changed">
        Every definition is as you allowed it. When one changes, it cannot be used until you have compared it here.
      </Empty>
    )
  }
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Text maw="28rem">These cannot be used until you allow them as they are now.</Text>
        {items.length > 1 && (
          <Button variant="default" loading={busy} onClick={() => void approve(items)}>
            Allow all {items.length}
          </Button>
        )}
      </Group>
      {items.map((item) => (
        <section
          key={`${item.kind} ${item.ownName}`}
          className={classes.change}
          aria-label={`Change of ${item.ownName}`}
        >
          <Group justify="space-between" mb="sm">
            <div>
              <strong>{toVisible(item.ownName)}</strong>{' '}
              <Text span c="dimmed" size="sm">
                {item.kind} · changed {toAgo(item.quarantine?.since ?? 0)}
              </Text>
            </div>
            <Button size="compact-sm" loading={busy} onClick={() => void approve([item])}>
              Allow this change
            </Button>
          </Group>
          <Difference parts={item.quarantine?.difference ?? []} />
        </section>
      ))}
    </Stack>
  )
}

function useQuarantined(server: string) {
  const [state, setState] = useState<{ items?: readonly Item[]; error?: ApiError }>({})
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is how a reload is asked for
  useEffect(() => {
    const abort = new AbortController()
    listQuarantined(server, abort.signal).then(
      (items) => setState({ items }),
      (error: unknown) => !abort.signal.aborted && setState({ error: toApiError(error) }),
    )
    return () => abort.abort()
  }, [server, turn])
  return { ...state, reload: () => setTurn((before) => before + 1) }
}

async function listQuarantined(server: string, signal: AbortSignal): Promise<readonly Item[]> {
  const found: Item[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, next } = await call('items.list', { server, ...(cursor !== undefined && { cursor }) }, signal)
    found.push(...items.filter(({ quarantine }) => quarantine !== undefined))
    if (next === undefined) break
    cursor = next
  }
  return found
}
