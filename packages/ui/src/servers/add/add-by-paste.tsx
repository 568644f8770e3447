/** Servers in whatever form they are at hand: a line for a shell, a URL, another program's command or configuration. */

import { Button, Stack, Textarea } from '@mantine/core'
import type { PastedPreview } from 'portico/web-api'
import { useState } from 'react'
import { type ApiError, call } from '../../app/data/api.ts'
import { useServers } from '../../app/data/server-store.ts'
import { toApiError } from '../../app/data/use-api.ts'
import { FailureNote } from '../../app/feedback.tsx'
import { ProblemNote } from '../attention.tsx'
import type { Proposal } from '../review.tsx'
import classes from '../servers.module.css'
import type { WayProps } from './add-by-form.tsx'
import { toFreeName } from './entry-preview.ts'

const EXAMPLE = `npx -y @modelcontextprotocol/server-filesystem ./docs
https://mcp.example.com/mcp
claude mcp add --transport http linear https://mcp.linear.app/mcp
{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "server-files@1.2.0"] } } }`

export function AddByPaste({ onProposal }: WayProps) {
  const { servers = [] } = useServers()
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ApiError>()
  const [problems, setProblems] = useState<PastedPreview['problems']>([])
  const look = async () => {
    setBusy(true)
    try {
      const preview = await call('servers.preview', { text })
      setError(undefined)
      setProblems(preview.servers.length > 0 ? [] : preview.problems)
      if (preview.servers.length > 0) onProposal(toProposal(text, preview, new Set(servers.map(({ name }) => name))))
    } catch (cause) {
      setError(toApiError(cause))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack gap="md">
      <Textarea
        label="Command, address or configuration"
        description="A command line, a URL, what another program’s page says to type, or its configuration (JSON, TOML, YAML)"
        placeholder={EXAMPLE}
        autosize
        minRows={6}
        maxRows={20}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || (!event.metaKey && !event.ctrlKey) || text.trim() === '') return
          event.preventDefault()
          void look()
        }}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        data-autofocus
      />
      {error !== undefined && <FailureNote error={error} />}
      {problems.map((problem) => (
        <ProblemNote key={`${problem.place.path} ${problem.message}`} problem={problem} />
      ))}
      <div className={classes.dialogFoot}>
        <Button disabled={text.trim() === ''} loading={busy} onClick={() => void look()}>
          Review
        </Button>
      </div>
    </Stack>
  )
}

/** A line that does not say how its server is called gets a name that can be changed; the rest is added as it is written. */
function toProposal(text: string, { servers }: PastedPreview, taken: ReadonlySet<string>): Proposal {
  const [first] = servers
  const entry = servers.length === 1 ? first?.entry : undefined
  if (first === undefined || entry === undefined)
    return { previews: servers, send: (use) => use('servers.add', { text }) }
  return {
    previews: servers,
    suggested: first.named === true ? first.name : toFreeName(first.name, taken),
    send: (use, name) => use('servers.add', { name, entry }),
  }
}
