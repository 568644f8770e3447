/** Rows of structured data. Only a part of a long list is drawn until more is asked for. */

import { Button, Table } from '@mantine/core'
import { useState } from 'react'
import { toVisible } from '../app/text/text.ts'
import { type TableModel, toCell } from './data-table.ts'
import classes from './data-table-view.module.css'
import { ScrollBox } from './scroll-box.tsx'
import { cutText } from './text-safety.ts'

const STEP = 100
const MAX_CELL = 300

export function DataTable({ table }: { readonly table: TableModel }) {
  const [shown, setShown] = useState(STEP)
  const { columns, rows, name } = table
  const isNumber = (column: string) => rows.slice(0, 50).every((row) => typeof (row[column] ?? 0) === 'number')
  const numeric = new Set(columns.filter(isNumber))
  return (
    <div>
      <ScrollBox className={classes.scroll} label={name ?? 'Table'}>
        <Table striped highlightOnHover stickyHeader verticalSpacing={6} fz="sm">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column} ta={numeric.has(column) ? 'right' : undefined}>
                  {toVisible(cutText(column, 100).text)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, shown).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name and do not move
              <Table.Tr key={index}>
                {columns.map((column) => (
                  <Table.Td key={column} className={classes.cell} data-number={numeric.has(column) || undefined}>
                    {toVisible(cutText(toCell(Object.hasOwn(row, column) ? row[column] : undefined), MAX_CELL).text)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
      {rows.length > shown && (
        <Button mt="xs" size="compact-sm" variant="light" onClick={() => setShown(shown + STEP * 10)}>
          Show more ({(rows.length - shown).toLocaleString()} left)
        </Button>
      )}
    </div>
  )
}
