/** Tokens, steps and money of a conversation, and how near it is to the end of its budget. */

import { Popover, Progress, Table, UnstyledButton } from '@mantine/core'
import type { Chat } from 'portico/web-api'
import { budgetUse, toMoney, toShort } from '../app/data/chat-events.ts'
import classes from './usage-meter.module.css'

export function UsageMeter({ chat }: { readonly chat: Chat }) {
  const { inputTokens, outputTokens, steps, cost, budget } = chat.usage
  const use = budgetUse(chat)
  const color = use === undefined || use.part < 0.75 ? 'ink' : use.part < 1 ? 'yellow' : 'red'
  const shown = `${toShort(inputTokens + outputTokens)} tokens${cost === undefined ? '' : ` · ${toMoney(cost)}`}`
  return (
    <Popover width={270} position="bottom-end" withArrow>
      <Popover.Target>
        <UnstyledButton
          className={classes.meter}
          aria-label={`Usage: ${shown}${use === undefined ? '' : `, ${use.words}`}`}
        >
          <span>{shown}</span>
          {use !== undefined && (
            <Progress value={Math.min(100, use.part * 100)} color={color} size={4} w="100%" aria-label="Budget used" />
          )}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Table fz="sm" withRowBorders={false} verticalSpacing={4}>
          <Table.Tbody>
            <Row name="Input" value={`${inputTokens.toLocaleString()} tokens`} />
            <Row name="Output" value={`${outputTokens.toLocaleString()} tokens`} />
            <Row name="Steps" value={withLimit(String(steps), budget?.steps)} />
            <Row
              name="Cost"
              value={cost === undefined ? 'price unknown' : withLimit(toMoney(cost), budget?.cost, toMoney)}
            />
            {budget?.tokens !== undefined && <Row name="Tokens allowed" value={budget.tokens.toLocaleString()} />}
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  )
}

function Row({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <Table.Tr>
      <Table.Th fw={450} scope="row">
        {name}
      </Table.Th>
      <Table.Td ta="right">{value}</Table.Td>
    </Table.Tr>
  )
}

function withLimit(value: string, limit: number | undefined, show: (limit: number) => string = String): string {
  return limit === undefined ? value : `${value} of ${show(limit)}`
}
