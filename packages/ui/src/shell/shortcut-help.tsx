/** The keys, in a dialog. */

import { Kbd, Modal, Table } from '@mantine/core'
import { MOD } from '../app/modifier-key.ts'
import { SCREENS } from './screens.tsx'

export function ShortcutHelp({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[MOD, 'K'], 'Find anything: screens, servers, tools, actions'],
    ...SCREENS.map(({ key, title }) => [['g', key], title] as const),
    [['?'], 'These shortcuts'],
    [['Esc'], 'Close what is open'],
  ]
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {rows.map(([keys, words]) => (
            <Table.Tr key={words}>
              <Table.Td w="7rem">
                {keys.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{words}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
