/** One rule as a form; members without a field of their own are JSON below. */

import {
  Button,
  Group,
  JsonInput,
  Modal,
  MultiSelect,
  SegmentedControl,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { useServers } from '../app/data/server-store.ts'
import { isRecord, parseJson, toJson } from '../parts/json.ts'
import { EFFECT_WORDS, EFFECTS, fieldAmong, type Outcome, type RuleForm, type RuleJson, toRule } from './rule-model.ts'

interface RuleEditorProps {
  readonly initial: RuleForm
  /** Names of the other rules. */
  readonly taken: readonly string[]
  readonly onDone: (rule: RuleJson) => void
  readonly onClose: () => void
}

export function RuleEditor({ initial, taken, onDone, onClose }: RuleEditorProps) {
  const [form, setForm] = useState(initial)
  const [rest, setRest] = useState(() => (Object.keys(initial.rest).length === 0 ? '' : toJson(initial.rest)))
  const set = (change: Partial<RuleForm>) => setForm((before) => ({ ...before, ...change }))
  const more = readRest(rest, initial)
  const id = form.id.trim()
  const idProblem = id === '' ? 'Required' : taken.includes(id) ? 'Another rule has this name' : undefined
  return (
    <Modal opened onClose={onClose} title="Rule" size="40rem" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
        <OutcomeField form={form} set={set} />
        <TextInput
          label="Name"
          value={form.id}
          error={idProblem}
          onChange={(event) => set({ id: event.currentTarget.value })}
          data-autofocus
        />
        <TextInput
          label="Reason"
          description="Shown with every decision it makes"
          value={form.because}
          onChange={(event) => set({ because: event.currentTarget.value })}
        />
        <SubjectFields form={form} set={set} />
        <JsonInput
          label="More conditions"
          description="arguments, annotations, principal, time, count, when"
          placeholder='{ "arguments": { "path": { "under": "/home/me/project" } } }'
          value={rest}
          error={more.problem}
          onChange={setRest}
          autosize
          minRows={2}
          maxRows={12}
        />
        <Flags form={form} set={set} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={idProblem !== undefined || more.problem !== undefined}
            onClick={() => onDone(toRule({ ...form, rest: more.rest }))}
          >
            Apply
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** The conditions without a field of their own, or why the text is none. */
function readRest(text: string, initial: RuleForm): { readonly rest: RuleJson; readonly problem?: string } {
  const read = parseJson(text.trim() === '' ? '{}' : text)
  if (!read.ok) return { rest: {}, problem: read.problem }
  if (!isRecord(read.value)) return { rest: {}, problem: 'Must be an object' }
  // Read from JSON, and looked at just above.
  const rest = read.value as RuleJson
  const field = fieldAmong(rest, initial)
  return field === undefined ? { rest } : { rest: {}, problem: `“${field}” has a field of its own above` }
}

interface PartProps {
  readonly form: RuleForm
  readonly set: (change: Partial<RuleForm>) => void
}

function OutcomeField({ form, set }: PartProps) {
  return (
    <SegmentedControl
      aria-label="Outcome"
      value={form.outcome}
      // The words of the list below.
      onChange={(outcome) => set({ outcome: outcome as Outcome })}
      data={[
        { value: 'allow', label: 'Allow' },
        { value: 'ask', label: 'Ask' },
        { value: 'deny', label: 'Deny' },
      ]}
    />
  )
}

/** What it is about: which action, of which server, with which thing. */
function SubjectFields({ form, set }: PartProps) {
  const { servers = [] } = useServers()
  const names = servers.map(({ name }) => name)
  return (
    <>
      <MultiSelect
        label="Action"
        placeholder={form.effect.length === 0 ? 'Anything' : undefined}
        data={EFFECTS.map((value) => ({ value, label: EFFECT_WORDS[value] }))}
        value={[...form.effect]}
        onChange={(effect) => set({ effect })}
      />
      <Group grow align="flex-start">
        <TagsInput
          label="Servers"
          description="* and ? stand for anything"
          placeholder={form.server.length === 0 ? 'Any' : undefined}
          data={names}
          value={[...form.server]}
          onChange={(server) => set({ server })}
        />
        <TagsInput
          label="Tools, addresses…"
          description="* and ? stand for anything"
          placeholder={form.item.length === 0 ? 'Any' : undefined}
          value={[...form.item]}
          onChange={(item) => set({ item })}
        />
      </Group>
      {(form.effect.includes('flow') || form.from.length > 0) && (
        <TagsInput label="Data of" data={names} value={[...form.from]} onChange={(from) => set({ from })} />
      )}
    </>
  )
}

function Flags({ form, set }: PartProps) {
  return (
    <Stack gap="xs">
      <Switch
        label="Shadow: only log what it would decide"
        checked={form.shadow}
        onChange={(event) => set({ shadow: event.currentTarget.checked })}
      />
      <Switch
        label="Show results to a person before the model sees them"
        checked={form.review}
        onChange={(event) => set({ review: event.currentTarget.checked })}
      />
      {form.outcome === 'allow' && (
        <Switch
          label="Applies even while untrusted text is in the conversation"
          checked={form.evenIfTainted}
          onChange={(event) => set({ evenIfTainted: event.currentTarget.checked })}
        />
      )}
    </Stack>
  )
}
