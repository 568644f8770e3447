/** The filter of the timeline: typed, explained, and said where it is not understood. */

import { ActionIcon, Autocomplete, Button, CloseButton, Code, Group, Popover, Stack, Table, Text } from '@mantine/core'
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks'
import { MagnifyingGlassIcon, QuestionMarkCircledIcon } from '@radix-ui/react-icons'
import { useEffect, useRef, useState } from 'react'
import { useServers } from '../app/data/server-store.ts'
import classes from './filter-box.module.css'
import { proposalsFor } from './filter-words.ts'

interface FilterBoxProps {
  readonly value: string
  readonly onChange: (filter: string) => void
  readonly problem: string | undefined
}

export function FilterBox({ value, onChange, problem }: FilterBoxProps) {
  const [typed, setTyped] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const { servers = [] } = useServers()
  const report = useDebouncedCallback(onChange, 250)
  useEffect(() => setTyped(value), [value])
  useHotkeys([['/', () => field.current?.focus()]])
  const type = (text: string) => {
    setTyped(text)
    report(text.trim())
  }
  const proposals = proposalsFor(
    typed,
    servers.map(({ name }) => name),
  )
  return (
    <search className={classes.box}>
      <Autocomplete
        ref={field}
        className={classes.field}
        classNames={{ input: classes.input }}
        aria-label="Filter"
        placeholder="method:tools/call status:error dur:>500ms server:files"
        leftSection={<MagnifyingGlassIcon aria-hidden="true" />}
        rightSection={typed === '' ? undefined : <CloseButton aria-label="Clear the filter" onClick={() => type('')} />}
        data={proposals}
        filter={({ options }) => options}
        error={problem}
        value={typed}
        onChange={type}
      />
      <Popover width={360} position="bottom-end" withArrow>
        <Popover.Target>
          <ActionIcon variant="default" size={36} aria-label="How filters are written">
            <QuestionMarkCircledIcon />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <FilterHelp onTry={type} />
        </Popover.Dropdown>
      </Popover>
    </search>
  )
}

const HELP: readonly (readonly [string, string])[] = [
  ['method:tools/call', 'one kind of message; * stands for anything'],
  ['status:error', 'ok, error or pending'],
  ['dur:>500ms', 'answers that took longer'],
  ['server:files,sql', 'one server or the other'],
  ['kind:notification', 'request, response, error, notification, closed'],
  ['dir:in', 'from the server; out: to the server'],
  ['size:>10kb', 'large messages'],
  ['-method:ping', 'a minus excludes'],
  ['README', 'plain words are searched in the message'],
]

function FilterHelp({ onTry }: { readonly onTry: (text: string) => void }) {
  return (
    <Stack gap="xs">
      <Text size="sm">All terms must match.</Text>
      <Table fz="xs" withRowBorders={false} verticalSpacing={2}>
        <Table.Tbody>
          {HELP.map(([term, words]) => (
            <Table.Tr key={term}>
              <Table.Td>
                <Code>{term}</Code>
              </Table.Td>
              <Table.Td>{words}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap={6}>
        {['status:error', 'dur:>500ms', 'kind:request'].map((example) => (
          <Button key={example} size="compact-xs" variant="light" onClick={() => onTry(example)}>
            {example}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}
