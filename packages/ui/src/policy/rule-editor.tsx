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
import { EFFECT_WORDS, EFFECTS, type Outcome, type RuleForm, type RuleJson, toRule } from './rule-model.ts'

export interface RuleEditorProps {
  readonly initial: RuleForm
  /** Names of the other rules. */
  readonly taken: readonly string[]
  readonly onDone: (rule: RuleJson) => void
  readonly onClose: () => void
}

export function RuleEditor({ initial, taken, onDone, onClose }: RuleEditorProps) {
  const [form, setForm] = useState(initial)
  const [rest, setRest] = useState(() => (Object.keys(initial.rest).length === 0 ? '' : toJson(initial.rest)))
  const { servers = [] } = useServers()
  const set = (change: Partial<RuleForm>) => setForm((before) => ({ ...before, ...change }))
  const names = servers.map(({ name }) => name)
  const more = parseJson(rest.trim() === '' ? '{}' : rest)
  const restProblem = !more.ok ? more.problem : isRecord(more.value) ? undefined : 'Must be an object'
  const idProblem =
    form.id.trim() === '' ? 'Required' : taken.includes(form.id.trim()) ? 'Another rule has this name' : undefined
  const done = () => {
    // Looked at just above.
    const value = more.ok ? (more.value as RuleJson) : {}
    onDone(toRule({ ...form, rest: value }))
  }
  return (
    <Modal opened onClose={onClose} title="Rule" size="40rem" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">
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
        <JsonInput
          label="More conditions"
          description="arguments, annotations, principal, time, count, when"
          placeholder='{ "arguments": { "path": { "under": "/home/me/project" } } }'
          value={rest}
          error={restProblem}
          onChange={setRest}
          autosize
          minRows={2}
          maxRows={12}
        />
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
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={idProblem !== undefined || restProblem !== undefined} onClick={done}>
            Apply
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
