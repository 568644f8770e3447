/** A server by its command or its address, typed in. */

import { Button, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { EMPTY_FORM, type EntryForm, previewEntry, toEntry } from './entry-preview.ts'
import type { Proposal } from './review.tsx'
import classes from './servers.module.css'

export interface WayProps {
  /** Its tab is the open one. */
  readonly active: boolean
  readonly onProposal: (proposal: Proposal) => void
}

export function AddByForm({ onProposal }: WayProps) {
  const [form, setForm] = useState<EntryForm>(EMPTY_FORM)
  const [tried, setTried] = useState(false)
  const { entry, problems } = toEntry(form)
  const shownProblems = tried ? problems : {}
  const field = (name: Exclude<keyof EntryForm, 'kind'>) => ({
    value: form[name],
    error: shownProblems[name],
    onChange: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const { value } = event.currentTarget
      setForm((before) => ({ ...before, [name]: value }))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (entry === undefined) return
    const { name } = form
    onProposal({ previews: [previewEntry(name, entry)], send: (call) => call('servers.add', { name, entry }) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <SegmentedControl
          aria-label="Kind of server"
          value={form.kind}
          onChange={(kind) => setForm((before) => ({ ...before, kind: kind === 'http' ? 'http' : 'stdio' }))}
          data={[
            { value: 'stdio', label: 'A local program' },
            { value: 'http', label: 'A web address' },
          ]}
        />
        <TextInput
          label="Name"
          description="What you call it here"
          placeholder="files"
          {...field('name')}
          data-autofocus
        />
        {form.kind === 'stdio' ? <ProgramFields field={field} /> : <AddressFields field={field} />}
        <div className={classes.dialogFoot}>
          <Button type="submit">Look at the command</Button>
        </div>
      </Stack>
    </form>
  )
}

interface FieldsProps {
  readonly field: (name: Exclude<keyof EntryForm, 'kind'>) => {
    readonly value: string
    readonly error: string | undefined
    readonly onChange: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => void
  }
}

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

function ProgramFields({ field }: FieldsProps) {
  return (
    <>
      <TextInput label="Command" placeholder="npx" styles={MONO} {...field('command')} />
      <Textarea
        label="Arguments"
        description="One on each line"
        placeholder={'-y\n@modelcontextprotocol/server-filesystem@2025.8.21\n/home/me/project'}
        autosize
        minRows={3}
        styles={MONO}
        {...field('args')}
      />
      <Textarea
        label="Environment"
        description="NAME=value, one on each line; ${env:NAME} takes it from your own environment"
        placeholder="GITHUB_TOKEN=${env:GITHUB_TOKEN}"
        autosize
        minRows={2}
        styles={MONO}
        {...field('env')}
      />
      <TextInput label="Folder" description="Where it is started; yours unless given" styles={MONO} {...field('cwd')} />
    </>
  )
}

function AddressFields({ field }: FieldsProps) {
  return (
    <>
      <TextInput label="Address" placeholder="https://mcp.example.com/mcp" styles={MONO} {...field('url')} />
      <Textarea
        label="Headers"
        description="Name: value, one on each line. Not needed where you sign in."
        placeholder="X-Team: docs"
        autosize
        minRows={2}
        styles={MONO}
        {...field('headers')}
      />
    </>
  )
}
