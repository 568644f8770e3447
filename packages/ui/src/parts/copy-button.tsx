/** Copies a text, and says so. */

import { ActionIcon, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { CheckIcon, ClipboardCopyIcon } from '@radix-ui/react-icons'

interface CopyButtonProps {
  /** Made when it is asked for: it may be long. */
  readonly text: () => string
  readonly label: string
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1_500 })
  return (
    <Tooltip label={clipboard.copied ? 'Copied' : label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => clipboard.copy(text())}>
        {clipboard.copied ? <CheckIcon /> : <ClipboardCopyIcon />}
      </ActionIcon>
    </Tooltip>
  )
}
