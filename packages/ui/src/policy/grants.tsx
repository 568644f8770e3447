/** Answers that are remembered, each with a way to take it back. */

import { Button, Stack, Table, Text } from '@mantine/core'
import { CounterClockwiseClockIcon } from '@radix-ui/react-icons'
import type { GrantView } from 'portico/web-api'
import { useState } from 'react'
import { Confirm } from '../app/confirm.tsx'
import { showDone, useAction, useApi } from '../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { toAgo, toClock, toVisible } from '../app/text/text.ts'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { OutcomeChip } from './outcome-chip.tsx'
import classes from './policy.module.css'

export function Grants() {
  const { data, error, reload } = useApi('grants.list', {})
  const { run, busy } = useAction('grants.revoke')
  const [revoked, setRevoked] = useState<GrantView>()
  const revoke = async () => {
    if (revoked === undefined || (await run({ id: revoked.id })) === undefined) return
    showDone('Forgotten', 'You are asked again from now on.')
    setRevoked(undefined)
    reload()
  }
  if (error !== undefined) return <FailureNote error={error} onRetry={reload} />
  if (data === undefined) return <Waiting rows={4} />
  if (data.grants.length === 0) {
    return (
      <Empty icon={<CounterClockwiseClockIcon width={22} height={22} />} title="No answer is remembered">
        When you answer a question in the inbox with more than “Once”, it is listed here and can be revoked.
      </Empty>
    )
  }
  return (
    <Stack gap="md">
      <Text c="dimmed">These answers are used without asking you again.</Text>
      <GrantsTable grants={data.grants} onRevoke={setRevoked} />
      <Confirm
        opened={revoked !== undefined}
        title="Forget this answer?"
        deed="Forget it"
        busy={busy}
        onConfirm={() => void revoke()}
        onClose={() => setRevoked(undefined)}
      >
        “{toVisible(revoked?.words ?? '')}” — you are asked again next time.
      </Confirm>
    </Stack>
  )
}

interface GrantsTableProps {
  readonly grants: readonly GrantView[]
  readonly onRevoke: (grant: GrantView) => void
}

function GrantsTable({ grants, onRevoke }: GrantsTableProps) {
  return (
    <ScrollBox label="Remembered answers" className={classes.tableBox}>
      <Table miw={560} verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="7rem">Answer</Table.Th>
            <Table.Th>Applies to</Table.Th>
            <Table.Th w="9rem">Given</Table.Th>
            <Table.Th w="6rem">
              <span className={classes.unseen}>Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {grants.map((grant) => (
            <Table.Tr key={grant.id}>
              <Table.Td>
                <OutcomeChip outcome={grant.outcome} />
              </Table.Td>
              <Table.Td>
                {toVisible(grant.words)}
                <div className={classes.dim}>{toVisible(grant.remember)}</div>
              </Table.Td>
              <Table.Td title={toClock(grant.at)}>{toAgo(grant.at)}</Table.Td>
              <Table.Td>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => onRevoke(grant)}
                  aria-label={`Forget: ${grant.words}`}
                >
                  Forget
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
