/** The record of everything that was decided and done: searched, looked into, and checked for having been altered. */

import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import type { ApiResult } from 'portico/web-api'
import { useEffect, useState } from 'react'
import { type ApiError, call } from '../app/data/api.ts'
import { toApiError } from '../app/data/use-api.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { toClock, toDuration, toVisible } from '../app/text/text.ts'
import { toJson } from '../parts/json.ts'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { OutcomeChip } from './outcome-chip.tsx'
import classes from './policy.module.css'
import { Verify } from './verify.tsx'

type Record = ApiResult<'audit.search'>['records'][number]

const PAGE = 100

export function Audit() {
  const [typed, setTyped] = useState('')
  const [query] = useDebouncedValue(typed.trim(), 200)
  const { records, error, more, loadMore, reload } = useAudit(query)
  return (
    <Stack gap="md">
      <Group align="flex-end" justify="space-between">
        <TextInput
          className={classes.search}
          aria-label="Search the audit log"
          placeholder="Words, or server:files outcome:deny"
          leftSection={<MagnifyingGlassIcon />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group gap="xs">
          <Button variant="default" onClick={reload}>
            Refresh
          </Button>
        </Group>
      </Group>
      <Verify />
      {error !== undefined && <FailureNote error={error} onRetry={reload} />}
      {records === undefined && error === undefined && <Waiting rows={6} height={40} />}
      {records?.length === 0 && (
        <Empty
          icon={<MagnifyingGlassIcon width={22} height={22} />}
          title={query === '' ? 'No records yet' : 'No record matches'}
        >
          Every decision and its result is recorded here, without secrets.
        </Empty>
      )}
      {records !== undefined && records.length > 0 && <Records records={records} />}
      {more && (
        <Button variant="default" w="fit-content" onClick={loadMore}>
          Older records
        </Button>
      )}
    </Stack>
  )
}

function Records({ records }: { readonly records: readonly Record[] }) {
  const [opened, setOpened] = useState<string>()
  return (
    <ScrollBox label="Audit records" className={classes.tableBox}>
      <Table className={classes.records} verticalSpacing={7} horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="12rem">When</Table.Th>
            <Table.Th w="7rem">Kind</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th w="8rem">Outcome</Table.Th>
            <Table.Th w="11rem">Rule</Table.Th>
            <Table.Th w="5rem">Duration</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {records.map((record) => (
            <RecordRows
              key={record.hash}
              record={record}
              isOpen={opened === record.hash}
              onToggle={() => setOpened(opened === record.hash ? undefined : record.hash)}
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

interface RecordRowsProps {
  readonly record: Record
  readonly isOpen: boolean
  readonly onToggle: () => void
}

function RecordRows({ record, isOpen, onToggle }: RecordRowsProps) {
  return (
    <>
      <Table.Tr className={classes.record}>
        <Table.Td className={classes.when}>
          <button
            type="button"
            className={classes.timeButton}
            aria-expanded={isOpen}
            aria-label={`Record ${record.sequence}, ${toClock(record.at)}`}
            onClick={onToggle}
          >
            {toClock(record.at)}
          </button>
        </Table.Td>
        <Table.Td className={classes.kind}>{record.type}</Table.Td>
        <Table.Td className={classes.what}>
          {toVisible(record.what)} {record.server !== undefined && <strong>{toVisible(record.server)}</strong>}{' '}
          <code>{toVisible(record.item ?? '')}</code>
        </Table.Td>
        <Table.Td className={classes.outcome}>
          <OutcomeChip outcome={record.outcome} />
        </Table.Td>
        <Table.Td className={classes.rule}>
          <Text size="sm" ff="monospace" truncate="end" maw="11rem" title={record.reason}>
            {toVisible(record.rule ?? '')}
          </Text>
        </Table.Td>
        <Table.Td className={classes.took}>
          {record.durationMs === undefined ? '' : toDuration(record.durationMs)}
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            {record.reason !== undefined && <Text mb="xs">{toVisible(record.reason)}</Text>}
            <pre className={classes.pre}>{toVisible(toJson(record))}</pre>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

/** Newest first, page by page. */
function useAudit(query: string) {
  const [records, setRecords] = useState<readonly Record[]>()
  const [error, setError] = useState<ApiError>()
  const [more, setMore] = useState(false)
  const [turn, setTurn] = useState(0)
  const load = async (before: number | undefined, signal?: AbortSignal) => {
    const page = await call(
      'audit.search',
      { limit: PAGE, ...(query !== '' && { query }), ...(before !== undefined && { before }) },
      signal,
    )
    setMore(page.records.length === PAGE)
    setError(undefined)
    return page.records
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is how a reload is asked for, `load` follows `query`
  useEffect(() => {
    const abort = new AbortController()
    load(undefined, abort.signal).then(setRecords, (cause: unknown) => {
      if (!abort.signal.aborted) setError(toApiError(cause))
    })
    return () => abort.abort()
  }, [query, turn])
  const loadMore = () => {
    const last = records?.at(-1)
    // The same moment once more: several programs write, and a page must not end between two records of one.
    load(last === undefined ? undefined : last.at + 1).then(
      (older) =>
        setRecords((shown = []) => [...shown, ...older.filter((one) => shown.every(({ hash }) => hash !== one.hash))]),
      (cause: unknown) => setError(toApiError(cause)),
    )
  }
  return { records, error, more, loadMore, reload: () => setTurn((before) => before + 1) }
}
