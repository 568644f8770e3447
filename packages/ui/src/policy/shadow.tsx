/** Where shadow rules would have decided otherwise: what to look at before a rule is put in force. */

import { Table, Text } from '@mantine/core'
import { EyeOpenIcon } from '@radix-ui/react-icons'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { toAgo, toClock, toVisible } from '../app/text/text.ts'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { OutcomeChip } from './outcome-chip.tsx'
import classes from './policy.module.css'
import type { Draft } from './use-draft.ts'

export function Shadow({ draft: { shadow, rules, error, reload } }: { readonly draft: Draft }) {
  if (rules === undefined)
    return error === undefined ? <Waiting rows={3} /> : <FailureNote error={error} onRetry={reload} />
  if (shadow.length === 0) {
    return (
      <Empty icon={<EyeOpenIcon width={22} height={22} />} title="No shadow rule has differed yet">
        A rule marked as shadow is only logged, never enforced. What it would have changed is listed here, so that you
        can see its effect before it has one.
      </Empty>
    )
  }
  return (
    <ScrollBox label="Shadow results" className={classes.tableBox}>
      <Table miw={620} verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="8rem">When</Table.Th>
            <Table.Th>What happened</Table.Th>
            <Table.Th w="7rem">Decided</Table.Th>
            <Table.Th w="7rem">Would be</Table.Th>
            <Table.Th w="12rem">By</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shadow.map(({ at, effect, did, would, rule }) => (
            <Table.Tr key={`${at} ${effect} ${rule}`}>
              <Table.Td title={toClock(at)}>{toAgo(at)}</Table.Td>
              <Table.Td>{toVisible(effect)}</Table.Td>
              <Table.Td>
                <OutcomeChip outcome={did} />
              </Table.Td>
              <Table.Td>
                <OutcomeChip outcome={would} />
              </Table.Td>
              <Table.Td>
                <Text size="sm" ff="monospace">
                  {toVisible(rule)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
