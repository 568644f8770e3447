/** Arguments as a form and as JSON, side by side where there is room; what is changed in one shows in the other. */

import { SegmentedControl, Textarea } from '@mantine/core'
import { useState } from 'react'
import { isRecord, type JsonRecord, parseJson, toJson } from '../json.ts'
import { BrokenFields, useBrokenField } from './broken-fields.tsx'
import classes from './schema-form.module.css'
import { SchemaForm } from './schema-form.tsx'
import type { Field } from './schema-model.ts'
import type { FieldProblem } from './schema-values.ts'

interface ArgumentsEditorProps {
  readonly field: Field
  readonly value: JsonRecord
  readonly problems: readonly FieldProblem[]
  readonly onChange: (value: JsonRecord) => void
  /** Some text of it is no JSON at the moment; what `value` holds is older. */
  readonly onBroken?: (isBroken: boolean) => void
}

type Mode = 'Form' | 'Both' | 'JSON'

export function ArgumentsEditor(props: ArgumentsEditorProps) {
  return (
    <BrokenFields onBroken={props.onBroken}>
      <Editor {...props} />
    </BrokenFields>
  )
}

function Editor({ field, value, problems, onChange }: ArgumentsEditorProps) {
  const [mode, setMode] = useState<Mode>('Form')
  const raw = <RawArguments value={value} onChange={onChange} />
  if (field.kind !== 'object') return raw
  return (
    <div className={classes.container}>
      <SegmentedControl
        className={classes.modes}
        size="xs"
        aria-label="Edit the arguments as"
        data={['Form', 'Both', 'JSON']}
        value={mode}
        onChange={setMode}
      />
      {mode === 'JSON' && raw}
      {mode === 'Form' && <SchemaForm field={field} value={value} problems={problems} onChange={onChange} />}
      {mode === 'Both' && (
        <div className={classes.split}>
          <SchemaForm field={field} value={value} problems={problems} onChange={onChange} />
          {raw}
        </div>
      )}
    </div>
  )
}

interface RawArgumentsProps {
  readonly value: JsonRecord
  readonly onChange: (value: JsonRecord) => void
  readonly label?: string
}

function RawArguments({ value, onChange, label = 'Arguments as JSON' }: RawArgumentsProps) {
  const [draft, setDraft] = useState<{ readonly text: string; readonly of: JsonRecord; readonly problem?: string }>()
  // A change that came from elsewhere wins over what stands here.
  const current = draft?.of === value ? draft : undefined
  useBrokenField(current?.problem !== undefined)
  return (
    <Textarea
      className={classes.raw}
      classNames={{ input: classes.mono }}
      label={label}
      size="sm"
      autosize
      minRows={4}
      maxRows={24}
      spellCheck={false}
      error={current?.problem}
      value={current?.text ?? toJson(value)}
      onChange={(event) => {
        const text = event.currentTarget.value
        const parsed = parseJson(text.trim() === '' ? '{}' : text)
        const isGood = parsed.ok && isRecord(parsed.value)
        if (!isGood) {
          setDraft({ text, of: value, problem: parsed.ok ? 'Arguments are an object: { … }' : parsed.problem })
          return
        }
        // Checked to be a record just above.
        const next = parsed.value as JsonRecord
        setDraft({ text, of: next })
        onChange(next)
      }}
    />
  )
}
