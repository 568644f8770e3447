/** Removing takes the entry out of the configuration; what it was is shown once more. */

import type { ServerCard } from 'portico/web-api'
import { Confirm } from '../app/confirm.tsx'
import { showDone, useAction } from '../app/data/use-api.ts'
import { go } from '../app/route.ts'
import { toVisible } from '../app/text/text.ts'
import { CommandText } from './command-text.tsx'

interface RemoveServerProps {
  readonly server: ServerCard
  readonly opened: boolean
  readonly onClose: () => void
}

export function RemoveServer({ server: { name, shown, config }, opened, onClose }: RemoveServerProps) {
  const { run, busy } = useAction('servers.remove')
  // A recording that is played, for one, is in no file.
  const isFile = !config.place.file.startsWith('(')
  const remove = async () => {
    if ((await run({ server: name })) === undefined) return
    showDone('Removed', name)
    onClose()
    go('/servers')
  }
  return (
    <Confirm
      opened={opened}
      title={`Remove ${toVisible(name)}?`}
      deed="Remove"
      busy={busy}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      {isFile ? (
        <>
          It is taken out of {toVisible(config.place.file)} and stopped. Its command:
          <CommandText text={shown} />
        </>
      ) : (
        'It is stopped and removed from the list. Its files stay.'
      )}
    </Confirm>
  )
}
