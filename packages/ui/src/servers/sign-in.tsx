/** Signing in, step by step, so that a failure can be told apart; secrets never reach the page. */

import { Button, Group, Stack, Text } from '@mantine/core'
import type { ServerCard } from 'portico/web-api'
import { useApiEvent } from '../app/events.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toClock, toVisible } from '../app/text.ts'
import { Chip } from '../app/tone.tsx'
import { useAction, useApi } from '../app/use-api.ts'
import classes from './servers.module.css'

const LOOKS = { ok: ['good', 'Done'], failed: ['bad', 'Failed'], waiting: ['busy', 'Waiting'] } as const

export function SignIn({ server: { name, state } }: { readonly server: ServerCard }) {
  const { data, error, reload } = useApi('servers.oauth', { server: name })
  const { run, busy } = useAction('servers.set')
  useApiEvent('server', ({ server }) => {
    if (server.name === name) reload()
  })
  const set = async (action: 'sign-in' | 'sign-out') => {
    await run({ server: name, action })
    reload()
  }
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text maw="26rem">
          {state.state === 'needs-sign-in'
            ? 'Its page opens in your own browser; this page sees neither your password nor the token.'
            : 'What happened when this host signed in.'}
        </Text>
        <Group gap="xs">
          {state.state !== 'needs-sign-in' && (
            <Button variant="default" loading={busy} onClick={() => void set('sign-out')}>
              Sign out
            </Button>
          )}
          <Button loading={busy} onClick={() => void set('sign-in')}>
            {state.state === 'needs-sign-in' ? 'Sign in' : 'Sign in again'}
          </Button>
        </Group>
      </Group>
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Waiting rows={4} height={44} />}
      {data?.steps.length === 0 && <Text c="dimmed">Nobody has signed in yet.</Text>}
      <ol className={classes.steps} aria-live="polite">
        {data?.steps.map(({ at, step, status, detail }) => {
          const [tone, word] = LOOKS[status]
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
