/** Put an effect together and see, while typing, which rule decides and which others were looked at. */

import {
  Autocomplete,
  Card,
  Checkbox,
  Group,
  JsonInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ApiResult } from 'portico/web-api'
import { useState } from 'react'
import { useServers } from '../app/data/server-store.ts'
import { useApi } from '../app/data/use-api.ts'
import { FailureNote, Waiting } from '../app/feedback.tsx'
import { toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import { type EffectForm, EMPTY_EFFECT, hasArguments, ITEM_WORDS, toEffect } from './effect-model.ts'
import { OutcomeChip } from './outcome-chip.tsx'
import classes from './policy.module.css'
import { EFFECT_WORDS, EFFECTS, type EffectKind } from './rule-model.ts'
import type { Draft } from './use-draft.ts'

export function Explain({ draft }: { readonly draft: Draft }) {
  const { servers = [] } = useServers()
  const [form, setForm] = useState<EffectForm>(EMPTY_EFFECT)
  const [tainted, setTainted] = useState(false)
  const [unattended, setUnattended] = useState(false)
  const set = (change: Partial<EffectForm>) => setForm((before) => ({ ...before, ...change }))
  const server = form.server === '' ? (servers[0]?.name ?? '') : form.server
  const made = toEffect({ ...form, server })
  const params = 'effect' in made && {
    effect: made.effect,
    circumstances: { tainted, unattended },
    ...(draft.dirty && draft.rules !== undefined && { rules: draft.rules }),
  }
  const [settled] = useDebouncedValue(params, 200)
  const { data, error } = useApi('policy.explain', settled === false ? undefined : settled)
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Card component="section" aria-label="What happens" className={classes.panel}>
        <Stack gap="md">
          <EffectFields form={{ ...form, server }} set={set} />
          <Circumstances
            form={form}
            set={set}
            tainted={tainted}
            onTainted={setTainted}
            unattended={unattended}
            onUnattended={setUnattended}
          />
        </Stack>
      </Card>
      <section aria-label="What the rules say" aria-live="polite">
        <Stack gap="md">
          {draft.dirty && <Note tone="busy" title="With your unsaved changes" />}
          {'problem' in made && <Text c="dimmed">{made.problem}.</Text>}
          {error !== undefined && <FailureNote error={error} />}
          {'effect' in made && data === undefined && error === undefined && <Waiting rows={2} />}
          {'effect' in made && data !== undefined && error === undefined && <DecisionView decision={data} />}
        </Stack>
      </section>
    </SimpleGrid>
  )
}

interface EffectFieldsProps {
  readonly form: EffectForm
  readonly set: (change: Partial<EffectForm>) => void
}

function EffectFields({ form, set }: EffectFieldsProps) {
  const { servers = [] } = useServers()
  return (
    <>
      <Select
        label="Action"
        allowDeselect={false}
        data={EFFECTS.map((value) => ({ value, label: EFFECT_WORDS[value] }))}
        value={form.kind}
        onChange={(kind) => set({ kind: (kind ?? 'call') as EffectKind })}
      />
      <Autocomplete
        label="Server"
        data={servers.map(({ name }) => name)}
        value={form.server}
        onChange={(next) => set({ server: next })}
      />
      {ITEM_WORDS[form.kind] !== undefined && (
        <TextInput
          label={ITEM_WORDS[form.kind]}
          value={form.item}
          onChange={(event) => set({ item: event.currentTarget.value })}
        />
      )}
      {form.kind === 'flow' && (
        <TextInput
          label="Data of"
          description="Servers, separated by commas"
          value={form.from}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
      )}
      {hasArguments(form.kind) && (
        <JsonInput
          label="Arguments"
          value={form.arguments}
          onChange={(next) => set({ arguments: next })}
          autosize
          minRows={3}
          formatOnBlur
        />
      )}
    </>
  )
}

function DecisionView({ decision }: { readonly decision: ApiResult<'policy.explain'> }) {
  const { outcome, rule, reason, shadow, considered } = decision
  return (
    <>
      <div className={classes.decision} data-outcome={outcome}>
        <OutcomeChip outcome={outcome} />
        <div className={classes.decisionWords}>
          <strong>
            {rule === undefined ? 'No rule matches; the default decides' : `Rule “${toVisible(rule)}” decides`}
          </strong>
          <div>{toVisible(reason)}</div>
          {shadow !== undefined && (
            <div className={classes.dim}>
              With the shadow rule “{toVisible(shadow.rule)}”: {shadow.outcome}
            </div>
          )}
        </div>
      </div>
      <Considered lines={considered} />
    </>
  )
}

function Considered({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return <Text c="dimmed">There are no rules.</Text>
  return (
    <div>
      <Text fw={600} mb={6}>
        Rules checked, in this order
      </Text>
      <ol className={classes.considered}>
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order is what it says
          <li key={at}>{toVisible(line)}</li>
        ))}
      </ol>
    </div>
  )
}

interface CircumstancesProps {
  readonly form: EffectForm
  readonly set: (change: Partial<EffectForm>) => void
  readonly tainted: boolean
  readonly onTainted: (on: boolean) => void
  readonly unattended: boolean
  readonly onUnattended: (on: boolean) => void
}

function Circumstances({ form, set, tainted, onTainted, unattended, onUnattended }: CircumstancesProps) {
  return (
    <Stack gap="xs">
      <Text fw={500} size="sm">
        Circumstances
      </Text>
      <Group gap="md">
        <Checkbox
          label="Untrusted text is in the conversation"
          checked={tainted}
          onChange={(event) => onTainted(event.currentTarget.checked)}
        />
        <Checkbox
          label="Nobody can be asked"
          checked={unattended}
          onChange={(event) => onUnattended(event.currentTarget.checked)}
        />
        {form.kind === 'call' && (
          <>
            <Checkbox
              label="The server is trusted"
              checked={form.trusted}
              onChange={(event) => set({ trusted: event.currentTarget.checked })}
            />
            <Checkbox
              label="It says it is read-only"
              checked={form.readOnly}
              onChange={(event) => set({ readOnly: event.currentTarget.checked })}
            />
            <Checkbox
              label="It says it is destructive"
              checked={form.destructive}
              onChange={(event) => set({ destructive: event.currentTarget.checked })}
            />
          </>
        )}
      </Group>
    </Stack>
  )
}
