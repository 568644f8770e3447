/** The connection doctor: what was checked, what is wrong, what to do. */

import { Button, Group, Stack, Text } from '@mantine/core'
import type { DoctorCheck } from 'portico/web-api'
import { useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toVisible } from '../app/text/text.ts'
import { Chip } from '../app/tone.tsx'
import type { ToneName } from '../theme.ts'
import classes from './servers.module.css'

const LOOKS: { readonly [status in DoctorCheck['status']]: readonly [ToneName, string] } = {
  ok: ['good', 'OK'],
  warning: ['warn', 'Warning'],
  failed: ['bad', 'Failed'],
  skipped: ['calm', 'Skipped'],
}

export function Doctor({ server }: { readonly server: string }) {
  const { data, error, loading, reload } = useApi('servers.doctor', { server })
  const bad = data?.checks.filter(({ status }) => status === 'failed').length ?? 0
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text role="status">
          {data === undefined ? 'Checking…' : bad === 0 ? 'No problems found.' : 'Problems found:'}
        </Text>
        <Button variant="default" size="compact-sm" loading={loading} onClick={reload}>
          Check again
        </Button>
      </Group>
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Waiting rows={5} height={44} />}
      <ol className={classes.steps}>
        {data?.checks.map(({ name, status, detail, remedy }) => {
          const [tone, word] = LOOKS[status]
          return (
            <li key={name} data-tone={tone}>
              <div className={classes.stepHead}>
                <strong>{name}</strong>
                <Chip tone={tone}>{word}</Chip>
              </div>
              <div className={classes.stepText}>{toVisible(detail)}</div>
              {remedy !== undefined && <div className={classes.remedy}>{toVisible(remedy)}</div>}
            </li>
          )
        })}
      </ol>
    </Stack>
  )
}
