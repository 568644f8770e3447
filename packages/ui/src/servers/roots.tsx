/** The folders that a server is offered, changed while it runs. */

import { Button, Group, TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../app/data/use-api.ts'

interface RootsProps {
  readonly server: string
  readonly roots: readonly string[]
}

export function Roots({ server, roots }: RootsProps) {
  const [draft, setDraft] = useState<readonly string[]>()
  const tune = useAction('servers.tune')
  const offer = async (next: readonly string[] | null) => {
    if ((await tune.run({ server, roots: next })) !== undefined) setDraft(undefined)
  }
  return (
    <div>
      <TagsInput
        label="Folders it may work in"
        description="The server learns of a change at once, or with its next request. You are asked before a folder is shared."
        placeholder={(draft ?? roots).length === 0 ? 'Type the path of a folder and press Enter' : undefined}
        value={[...(draft ?? roots)]}
        onChange={setDraft}
      />
      {draft !== undefined && (
        <Group gap="xs" mt="xs">
          <Button size="compact-sm" loading={tune.busy} onClick={() => void offer(draft)}>
            Save folders
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => void offer(null)}>
            Reset to configuration
          </Button>
        </Group>
      )}
    </div>
  )
}
