/** One tool: its arguments as a form, the run, and the schemas behind them. */

import { Button, Group, Stack } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { PlayIcon, ResetIcon } from '@radix-ui/react-icons'
import { useMemo, useState } from 'react'
import { MOD } from '../app/modifier-key.ts'
import { toCount } from '../app/text.ts'
import { ArgumentsEditor } from '../parts/arguments-editor.tsx'
import { Foldable } from '../parts/foldable.tsx'
import type { JsonRecord } from '../parts/json.ts'
import { JsonView } from '../parts/json-view.tsx'
import { toField } from '../parts/schema-model.ts'
import { initialArguments, problemsOf } from '../parts/schema-values.ts'
import { CopyMenu } from './copy-menu.tsx'
import { ItemHead } from './item-head.tsx'
import { type ItemOf, keyOf, setDraft, useDraft } from './item-store.ts'
import classes from './panel.module.css'
import { startRun, useRun } from './run-store.ts'
import { RunView } from './run-view.tsx'

export function ToolPanel({ item }: { readonly item: ItemOf<'tool'> }) {
  const { definition, server, ownName, name, quarantine } = item
  const key = keyOf(item)
  const field = useMemo(() => toField(definition.inputSchema), [definition.inputSchema])
  const initial = useMemo(() => initialArguments(field), [field])
  const draft = useDraft(key)
  const value = draft ?? initial
  const problems = useMemo(() => problemsOf(field, value), [field, value])
  const [tried, setTried] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const state = useRun(key)
  const isBusy = state?.status === 'running'
  const run = () => {
    setTried(true)
    if (isBroken || isBusy || quarantine !== undefined || problems.length > 0) return
    void startRun(key, { method: 'tools.call', params: { name, arguments: value } })
  }
  useHotkeys([['mod+Enter', run]], [])
  // What is simply not there yet is no fault before somebody tries to run it.
  const shown = tried ? problems : problems.filter(({ message }) => message !== 'Must be given')
  return (
    <div className={classes.panel}>
      <ItemHead item={item} actions={<CopyMenu kind="tool" server={server} ownName={ownName} arguments={value} />} />
      <Stack gap="md" component="section" aria-label="Arguments">
        <ArgumentsEditor
          field={field}
          value={value}
          problems={shown}
          onChange={(next: JsonRecord) => setDraft(key, next)}
          onBroken={setBroken}
        />
        <Group gap="xs">
          <Button
            leftSection={<PlayIcon />}
            onClick={run}
            loading={isBusy}
            disabled={quarantine !== undefined || isBroken}
            title={`${MOD} Enter`}
          >
            Run
          </Button>
          {draft !== undefined && (
            <Button variant="subtle" color="gray" leftSection={<ResetIcon />} onClick={() => setDraft(key, undefined)}>
              Start over
            </Button>
          )}
          {tried && problems.length > 0 && (
            <span className={classes.problem} role="alert">
              {toCount(problems.length, 'field needs', 'fields need')} attention: {problems[0]?.path}
            </span>
          )}
          {quarantine !== undefined && <span className={classes.problem}>It must be approved before it can run.</span>}
        </Group>
      </Stack>
      {state !== undefined && <RunView state={state} server={server} />}
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
    </div>
  )
}
