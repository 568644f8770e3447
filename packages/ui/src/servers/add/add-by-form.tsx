/** A server by its command or its address, typed in. */

import { Button, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { call } from '../../app/data/api.ts'
import type { Proposal } from '../review.tsx'
import classes from '../servers.module.css'
import { EMPTY_FORM, type Entry, type EntryForm, type EntryPreview, previewEntry, toEntry } from './entry-preview.ts'

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
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (entry === undefined) return
    const { name } = form
    const whole = await withWords(entry)
    onProposal({ previews: await previewsOf(name, whole), send: (use) => use('servers.add', { name, entry: whole }) })
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
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
          description="Its name in Portico"
          placeholder="files"
          {...field('name')}
          data-autofocus
        />
        {form.kind === 'stdio' ? <ProgramFields field={field} /> : <AddressFields field={field} />}
        <div className={classes.dialogFoot}>
          <Button type="submit">Review</Button>
        </div>
      </Stack>
    </form>
  )
}

/** Whoever types a whole line where the program's name goes means that line: it is split as a shell would. */
async function withWords(entry: Entry): Promise<Entry> {
  const { command, args } = entry
  if (typeof command !== 'string' || args !== undefined || !/\s/.test(command)) return entry
  const read = await call('servers.preview', { text: command }).catch(() => undefined)
  return { ...entry, ...read?.servers[0]?.entry }
}

/** As the program would add it, with the folder that relative words mean; as it was typed where it does not answer. */
async function previewsOf(name: string, entry: Entry): Promise<readonly EntryPreview[]> {
  const text = JSON.stringify({ mcpServers: { [name]: entry } })
  const read = await call('servers.preview', { text }).catch(() => undefined)
  return read === undefined || read.servers.length === 0 ? [previewEntry(name, entry)] : read.servers
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
      <TextInput
        label="Folder"
        description="Where it is started; the current folder by default"
        styles={MONO}
        {...field('cwd')}
      />
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
