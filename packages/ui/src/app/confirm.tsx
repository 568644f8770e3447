/** Asks before something that cannot be taken back. */

import { Button, Group, Modal, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface ConfirmProps {
  readonly opened: boolean
  readonly title: string
  readonly children: ReactNode
  /** What the button says: the deed, not "OK". */
  readonly deed: string
  readonly busy?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ opened, title, children, deed, busy, onConfirm, onClose }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text component="div">{children}</Text>
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={busy} onClick={onConfirm}>
          {deed}
        </Button>
      </Group>
    </Modal>
  )
}
