/**
 * Signing in, step by step, so that a failure can be told apart; secrets never reach the page. The provider's page can
 * be opened from here too: the machine that the program runs on may have no browser to show it in.
 */

import { Button, Group, Stack, Text } from '@mantine/core'
import { ExternalLinkIcon } from '@radix-ui/react-icons'
import type { ServerCard } from 'portico/web-api'
import { useApiEvent } from '../app/data/events.ts'
import { useAction, useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toClock, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { isOpenable } from '../parts/address/address.ts'
import { AddressView } from '../parts/address/address-view.tsx'
import classes from './servers.module.css'

const LOOKS = { ok: ['good', 'Done'], failed: ['bad', 'Failed'], waiting: ['busy', 'Waiting'] } as const

export function SignIn({ server: { name, state } }: { readonly server: ServerCard }) {
  const { data, error, reload } = useApi('servers.oauth', { server: name })
  const { run, busy } = useAction('servers.set')
  useApiEvent('server', ({ server }) => {
    if (server.name === name) reload()
  })
  useApiEvent('sign-in', ({ server }) => {
    if (server === name) reload()
  })
  const page = data?.page
  const isOut = state.state === 'needs-sign-in' || page !== undefined
  const set = async (action: 'sign-in' | 'sign-out') => {
    await run({ server: name, action })
    reload()
  }
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text maw="26rem">
          {isOut
            ? 'Its page opens in your own browser; this page sees neither your password nor the token.'
            : 'What happened when this host signed in.'}
        </Text>
        {page === undefined && (
          <Group gap="xs">
            {!isOut && (
              <Button variant="default" loading={busy} onClick={() => void set('sign-out')}>
                Sign out
              </Button>
            )}
            <Button loading={busy} onClick={() => void set('sign-in')}>
              {isOut ? 'Sign in' : 'Sign in again'}
            </Button>
          </Group>
        )}
      </Group>
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {page !== undefined && isOpenable(page) && <WaitingPage page={page} />}
      {data === undefined && error === undefined && <Waiting rows={4} height={44} />}
      {data?.steps.length === 0 && <Text c="dimmed">Nobody has signed in yet.</Text>}
      <ol className={classes.steps} aria-live="polite">
        {data?.steps.map(({ at, step, status, detail }, index, all) => {
          // Whatever was waited for has come once another step follows.
          const [tone, word] = LOOKS[status === 'waiting' && index < all.length - 1 ? 'ok' : status]
          return (
            <li key={`${at} ${step}`} data-tone={tone}>
              <div className={classes.stepHead}>
                <strong>{step}</strong>
                <Chip tone={tone}>{word}</Chip>
                <span className={classes.when}>{toClock(at)}</span>
              </div>
              <div className={classes.stepText}>{toVisible(detail)}</div>
            </li>
          )
        })}
      </ol>
    </Stack>
  )
}

function WaitingPage({ page }: { readonly page: string }) {
  const { host } = new URL(page)
  return (
    <Stack gap="xs">
      <Note
        tone="warn"
        role="status"
        title={`${toVisible(host)} waits for you`}
        actions={
          <Button
            component="a"
            size="compact-sm"
            href={page}
            target="_blank"
            rel="noreferrer noopener"
            rightSection={<ExternalLinkIcon />}
          >
            Open the page
          </Button>
        }
      >
        If it did not open by itself, open it from here, and type your password there alone.
      </Note>
      <AddressView url={page} host={host} />
    </Stack>
  )
}
