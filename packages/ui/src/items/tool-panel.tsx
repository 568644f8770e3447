/** One tool: its arguments as a form, the run, and the schemas behind them. */

import { Button, Group, Stack } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { PlayIcon, ResetIcon } from '@radix-ui/react-icons'
import { useMemo, useRef, useState } from 'react'
import { Confirm } from '../app/confirm.tsx'
import { MOD } from '../app/modifier-key.ts'
import { toCount, toVisible } from '../app/text/text.ts'
import { Foldable } from '../parts/foldable.tsx'
import type { JsonRecord } from '../parts/json.ts'
import { JsonView } from '../parts/json-view.tsx'
import { ArgumentsEditor } from '../parts/schema-form/arguments-editor.tsx'
import { toField } from '../parts/schema-form/schema-model.ts'
import { type FieldProblem, initialArguments, problemsOf } from '../parts/schema-form/schema-values.ts'
import { CopyMenu } from './copy-menu.tsx'
import { ItemHead } from './item-head.tsx'
import { type ItemOf, keyOf, setDraft, useDraft } from './item-store.ts'
import classes from './panel.module.css'
import { startRun, useRun } from './run-store.ts'
import { RunView } from './run-view.tsx'

export function ToolPanel({ item }: { readonly item: ItemOf<'tool'> }) {
  const { definition, server, ownName, name, quarantine } = item
  const key = keyOf(item)
  const { field, draft, value, problems } = useArguments(key, definition.inputSchema)
  const [tried, setTried] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const state = useRun(key)
  const isBusy = state?.status === 'running'
  const [isConfirming, setConfirming] = useState(false)
  const section = useRef<HTMLDivElement>(null)
  const start = () => {
    setConfirming(false)
    void startRun(key, { method: 'tools.call', params: { name, arguments: value } })
  }
  const run = () => {
    setTried(true)
    if (isBroken || isBusy || quarantine !== undefined) return
    if (problems.length > 0) requestAnimationFrame(() => goToProblem(section.current))
    else if (mayDestroy(item)) setConfirming(true)
    else start()
  }
  useHotkeys([['mod+Enter', run]], [])
  // What is simply not there yet is no fault before somebody tries to run it.
  const shown = tried ? problems : problems.filter(({ message }) => message !== 'Required')
  return (
    <div className={classes.panel}>
      <ItemHead item={item} actions={<CopyMenu kind="tool" server={server} ownName={ownName} arguments={value} />} />
      <Stack gap="md" component="section" aria-label="Arguments" ref={section}>
        <ArgumentsEditor
          field={field}
          value={value}
          problems={shown}
          onChange={(next: JsonRecord) => setDraft(key, next)}
          onBroken={setBroken}
        />
        <Group gap="xs" className={classes.deeds}>
          <RunButton isBusy={isBusy} disabled={quarantine !== undefined || isBroken} onRun={run} />
          {draft !== undefined && (
            <Button variant="subtle" color="gray" leftSection={<ResetIcon />} onClick={() => setDraft(key, undefined)}>
              Reset
            </Button>
          )}
          {tried && problems.length > 0 && (
            <ProblemLink problems={problems} onGo={() => goToProblem(section.current)} />
          )}
          {quarantine !== undefined && <span className={classes.problem}>Allow the change before you run it.</span>}
        </Group>
      </Stack>
      <ConfirmRun
        name={definition.title ?? ownName}
        opened={isConfirming}
        onConfirm={start}
        onClose={() => setConfirming(false)}
      />
      {state !== undefined && <RunView state={state} server={server} />}
      <Schemas definition={definition} />
    </div>
  )
}

/** What was typed for the tool, or what its schema begins with, and what is wrong with it. */
function useArguments(key: string, schema: unknown) {
  const field = useMemo(() => toField(schema), [schema])
  const initial = useMemo(() => initialArguments(field), [field])
  const draft = useDraft(key)
  const value = draft ?? initial
  const problems = useMemo(() => problemsOf(field, value), [field, value])
  return { field, draft, value, problems }
}

function mayDestroy({ definition: { annotations } }: ItemOf<'tool'>): boolean {
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint === true
}

interface RunButtonProps {
  readonly isBusy: boolean
  readonly disabled: boolean
  readonly onRun: () => void
}

function RunButton({ isBusy, disabled, onRun }: RunButtonProps) {
  return (
    <Button
      leftSection={<PlayIcon />}
      rightSection={
        <span className={classes.keys} aria-hidden="true">
          {MOD} Enter
        </span>
      }
      onClick={onRun}
      loading={isBusy}
      disabled={disabled}
    >
      Run
    </Button>
  )
}

function ProblemLink({ problems, onGo }: { readonly problems: readonly FieldProblem[]; readonly onGo: () => void }) {
  return (
    <span role="alert">
      <button type="button" className={classes.problemLink} onClick={onGo}>
        {toCount(problems.length, 'field needs', 'fields need')} attention:{' '}
        {toVisible(problems.map(({ path }) => path).join(', '))}
      </button>
    </span>
  )
}

interface ConfirmRunProps {
  readonly name: string
  readonly opened: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

function ConfirmRun({ name, opened, onConfirm, onClose }: ConfirmRunProps) {
  return (
    <Confirm opened={opened} title={`Run ${toVisible(name)}?`} deed="Run it" onConfirm={onConfirm} onClose={onClose}>
      The server says that this tool may destroy something. What you run by hand is your own doing: no rule asks again.
    </Confirm>
  )
}

function Schemas({ definition }: Pick<ItemOf<'tool'>, 'definition'>) {
  return (
    <Stack gap="xs">
      <Foldable title="Schema of the arguments">
        <JsonView value={definition.inputSchema} open={3} />
      </Foldable>
      {definition.outputSchema !== undefined && (
        <Foldable title="Schema of the result">
          <JsonView value={definition.outputSchema} open={3} />
        </Foldable>
      )}
    </Stack>
  )
}

/** The first field that says what is wrong with it gets the focus. */
function goToProblem(section: HTMLElement | null): void {
  const field = section?.querySelector<HTMLElement>(':is(input, textarea, select, button)[aria-invalid="true"]')
  const place = field ?? section?.querySelector<HTMLElement>('fieldset [role="alert"]')
  place?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
