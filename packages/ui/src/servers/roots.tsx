/** The folders that a server is offered, changed while it runs. */

import { Button, Group, TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../app/use-api.ts'

export interface RootsProps {
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
        description="It is told of a change at once, or when it asks next. Each is asked about before it is offered."
        placeholder={(draft ?? roots).length === 0 ? 'None. Type the path of a folder and press Enter' : undefined}
        value={[...(draft ?? roots)]}
        onChange={setDraft}
      />
      {draft !== undefined && (
        <Group gap="xs" mt="xs">
          <Button size="compact-sm" loading={tune.busy} onClick={() => void offer(draft)}>
            Offer these
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => void offer(null)}>
            As configured
          </Button>
        </Group>
      )}
    </div>
  )
}
