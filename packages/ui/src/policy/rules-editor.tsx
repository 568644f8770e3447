/** The rules as a table or as the JSON they are kept as, with what is wrong with them, and a bar while they are changed. */

import { ActionIcon, Button, Group, Menu, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { DotsVerticalIcon, LockClosedIcon, PlusIcon } from '@radix-ui/react-icons'
import type { PolicyFinding } from 'portico/web-api'
import { useState } from 'react'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { go } from '../app/route.ts'
import { toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { OutcomeChip } from './outcome-chip.tsx'
import classes from './policy.module.css'
import { RuleEditor } from './rule-editor.tsx'
import { describeConditions, describeRule, EMPTY_RULE, freeName, fromRule, type RuleJson } from './rule-model.ts'
import { RulesJson } from './rules-json.tsx'
import type { Draft } from './use-draft.ts'

export function RulesEditor({ draft }: { readonly draft: Draft }) {
  const { rules, error, findings } = draft
  const [view, setView] = useState('table')
  /** The place of the rule that is edited; the number of rules for a new one. */
  const [edited, setEdited] = useState<number>()
  if (rules === undefined)
    return error === undefined ? <Waiting rows={4} /> : <FailureNote error={error} onRetry={draft.reload} />
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Show rules as"
          value={view}
          onChange={setView}
          data={[
            { value: 'table', label: 'Table' },
            { value: 'json', label: 'JSON' },
          ]}
        />
        <Button leftSection={<PlusIcon />} variant="light" onClick={() => setEdited(rules.length)}>
          Add rule
        </Button>
      </Group>
      {error !== undefined && <FailureNote error={error} />}
      {draft.dirty && <SaveBar draft={draft} />}
      {findings.length > 0 && !draft.dirty && <Findings findings={findings} />}
      {/* What was discarded or saved is not what stands there any more. */}
      {view === 'json' && <RulesJson key={draft.turn} rules={rules} onChange={draft.change} />}
      {view === 'table' && rules.length === 0 && <NoRules />}
      {view === 'table' && rules.length > 0 && (
        <RulesTable rules={rules} findings={findings} onEdit={setEdited} onChange={draft.change} />
      )}
      <Text size="sm" c="dimmed">
        Deny wins over ask, ask over allow; among equals the more specific rule decides. What no rule matches is asked.
      </Text>
      {edited !== undefined && (
        <RuleEditor
          key={edited}
          initial={rules[edited] === undefined ? { ...EMPTY_RULE, id: freeName(rules) } : fromRule(rules[edited])}
          taken={rules.filter((_, at) => at !== edited).map(({ id }) => String(id))}
          onClose={() => setEdited(undefined)}
          onDone={(rule) => {
            draft.change(
              rules[edited] === undefined ? [...rules, rule] : rules.map((one, at) => (at === edited ? rule : one)),
            )
            setEdited(undefined)
          }}
        />
      )}
    </Stack>
  )
}

function SaveBar({ draft }: { readonly draft: Draft }) {
  return (
    <Note
      tone="busy"
      title="Not saved yet"
      role="status"
      actions={
        <>
          <Button size="compact-sm" variant="default" onClick={draft.discard}>
            Discard
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => go('/policy', { tab: 'explain' })}>
            Test in Explain
          </Button>
          <Button size="compact-sm" loading={draft.saving} onClick={() => void draft.save()}>
            Save rules
          </Button>
        </>
      }
    >
      Explain already uses the changed rules; everything else uses the saved ones.
    </Note>
  )
}

function Findings({ findings }: { readonly findings: readonly PolicyFinding[] }) {
  const isBad = findings.some(({ severity }) => severity === 'error')
  return (
    <Note
      tone={isBad ? 'bad' : 'warn'}
      title={isBad ? 'Some rules cannot be used' : 'Some rules never decide anything'}
    >
      <ul className={classes.plain}>
        {findings.map(({ rule, message, remedy }) => (
          <li key={`${rule} ${message}`}>
            {rule !== undefined && <strong>{toVisible(rule)}: </strong>}
            {toVisible(message)}
            {remedy !== undefined && ` — ${toVisible(remedy)}`}
          </li>
        ))}
      </ul>
    </Note>
  )
}

interface RulesTableProps {
  readonly rules: readonly RuleJson[]
  readonly findings: readonly PolicyFinding[]
  readonly onEdit: (at: number) => void
  readonly onChange: (rules: readonly RuleJson[]) => void
}

function RulesTable({ rules, findings, onEdit, onChange }: RulesTableProps) {
  return (
    <ScrollBox label="Rules" className={classes.tableBox}>
      <Table miw={620} verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="7rem">Outcome</Table.Th>
            <Table.Th>Rule</Table.Th>
            <Table.Th>Applies to</Table.Th>
            <Table.Th w="3rem">
              <span className={classes.unseen}>Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map((rule, at) => (
            <RuleRow
              key={String(rule.id)}
              rule={rule}
              hasFinding={findings.some((finding) => finding.rule === rule.id)}
              onEdit={() => onEdit(at)}
              onChange={(next) =>
                onChange(rules.flatMap((one, place) => (place !== at ? [one] : next === undefined ? [] : [next])))
              }
            />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

interface RuleRowProps {
  readonly rule: RuleJson
  readonly hasFinding: boolean
  readonly onEdit: () => void
  /** Undefined takes it out. */
  readonly onChange: (rule: RuleJson | undefined) => void
}

function RuleRow({ rule, hasFinding, onEdit, onChange }: RuleRowProps) {
  const { id, outcome, because, shadow, review } = fromRule(rule)
  const conditions = describeConditions(rule)
  return (
    <Table.Tr>
      <Table.Td>
        <OutcomeChip outcome={outcome} />
      </Table.Td>
      <Table.Td>
        <button type="button" className={classes.nameButton} onClick={onEdit}>
          {toVisible(id)}
        </button>
        <span className={classes.flags}>
          {shadow && <Chip tone="calm">shadow</Chip>}
          {review && <Chip tone="calm">review</Chip>}
          {hasFinding && <Chip tone="warn">warning</Chip>}
        </span>
        {because !== '' && <div className={classes.dim}>{toVisible(because)}</div>}
      </Table.Td>
      <Table.Td>
        <code>{toVisible(describeRule(rule))}</code>
        {conditions !== '' && <div className={classes.dimCode}>{toVisible(conditions)}</div>}
      </Table.Td>
      <Table.Td>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${id}`}>
              <DotsVerticalIcon />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={onEdit}>Edit</Menu.Item>
            <Menu.Item onClick={() => onChange({ ...rule, shadow: !shadow })}>
              {shadow ? 'Enforce' : 'Shadow: log only'}
            </Menu.Item>
            <Menu.Item color="red" onClick={() => onChange(undefined)}>
              Remove
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Table.Td>
    </Table.Tr>
  )
}

function NoRules() {
  return (
    <Empty icon={<LockClosedIcon width={22} height={22} />} title="No rules: everything is asked">
      Safe, but you are asked often. Allow what you trust and deny what must never happen; the rest is asked.
    </Empty>
  )
}
