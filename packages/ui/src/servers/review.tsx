/**
 * The last look before a server is added: every command whole, what is dangerous about it, and two buttons (sec-93).
 * Adding only writes the configuration; before the program first runs it, the host asks once more in the inbox.
 */

import { Button, Stack, TextInput } from '@mantine/core'
import type { ApiResult } from 'portico/web-api'
import { useState } from 'react'
import { type ApiError, call } from '../app/data/api.ts'
import { useServers } from '../app/data/server-store.ts'
import { toApiError } from '../app/data/use-api.ts'
import { FailureNote } from '../app/feedback.tsx'
import { toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { type EntryPreview, isName, NAME_RULE } from './add/entry-preview.ts'
import { ProblemNote } from './attention.tsx'
import { CommandText, WarningList } from './command-text.tsx'
import classes from './servers.module.css'

type Added = ApiResult<'servers.add'>

export interface Proposal {
  readonly previews: readonly EntryPreview[]
  /** What it is called where the user has not said so; they can change it here. */
  readonly suggested?: string
  readonly send: (use: typeof call, name: string) => Promise<Added>
}

interface ReviewProps {
  readonly proposal: Proposal
  readonly onBack: () => void
  readonly onAdded: (names: readonly string[]) => void
}

export function Review({ proposal: { previews, suggested, send }, onBack, onAdded }: ReviewProps) {
  const [name, setName] = useState(suggested ?? '')
  const isTaken = useServers().servers?.some((server) => server.name === name) ?? false
  const problem = isTaken ? 'There is a server of that name already' : isName(name) ? undefined : NAME_RULE
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const [problems, setProblems] = useState<Added['problems']>([])
  const add = async () => {
    setBusy(true)
    try {
      const { added, problems: found } = await send(call, name)
      setProblems(found)
      setError(undefined)
      if (added.length > 0) onAdded(added)
    } catch (cause) {
      setError(toApiError(cause))
    } finally {
      setBusy(false)
    }
  }
  const runs = previews.some(({ shown }) => !/^https?:/.test(shown))
  return (
    <Stack gap="md">
      <Note
        tone="warn"
        title={
          runs
            ? 'This runs programs on your computer, with your rights'
            : 'This sends what your model writes to another machine'
        }
      >
        Add only what you know. Nothing starts yet: you are asked again before the first start.
      </Note>
      {suggested !== undefined && (
        <TextInput
          label="Name"
          description="Its name in Portico"
          error={problem}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      {previews.map(({ name: own, shown, warnings }) => (
        <Preview key={own} name={own} shown={shown} warnings={warnings} />
      ))}
      {error !== undefined && <FailureNote error={error} />}
      {problems.map((problem) => (
        <ProblemNote key={`${problem.place.path} ${problem.message}`} problem={problem} />
      ))}
      <div className={classes.dialogFoot}>
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button loading={busy} disabled={suggested !== undefined && problem !== undefined} onClick={() => void add()}>
          {previews.length > 1 ? `Add ${previews.length} servers` : 'Add server'}
        </Button>
      </div>
    </Stack>
  )
}

function Preview({ name, shown, warnings }: Pick<EntryPreview, 'name' | 'shown' | 'warnings'>) {
  return (
    <section className={classes.entry} aria-label={`Server ${name}`}>
      <div className={classes.entryHead}>
        <strong>{toVisible(name)}</strong>
      </div>
      <Stack gap="xs">
        <WarningList warnings={warnings} />
        <CommandText text={shown} label={`What ${name} would run`} />
      </Stack>
    </section>
  )
}
