/** A JSON object that can be read and, after a click, changed. The text stays as typed until it is an object again. */

import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { isRecord, parseJson, toJson } from '../parts/json.ts'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { TextBlock } from '../parts/text-block.tsx'
import type { Schema } from './form-model.ts'
import classes from './inbox.module.css'

export interface ObjectEditorProps {
  readonly label: string
  readonly value: Schema
  /** Undefined while the text is no object. */
  readonly onChange: (value: Schema | undefined) => void
  /** Not shown before somebody wants to change it. */
  readonly folded?: boolean
}

export function ObjectEditor({ label, value, onChange, folded = false }: ObjectEditorProps) {
  const [text, setText] = useState<string>()
  const edited = text === undefined ? undefined : parseJson(text)
  const problem =
    edited === undefined
      ? undefined
      : !edited.ok
        ? edited.problem
        : isRecord(edited.value)
          ? undefined
          : 'Must be an object'
  const change = (next: string | undefined) => {
    setText(next)
    if (next === undefined) return onChange(value)
    const read = parseJson(next)
    // Read from JSON just now, and looked at.
    onChange(read.ok && isRecord(read.value) ? (read.value as Schema) : undefined)
  }
  return (
    <section className={classes.block} aria-label={label}>
      <div className={classes.blockHead}>
        <span>{label}</span>
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => change(text === undefined ? toJson(value) : undefined)}
          aria-label={text === undefined ? `Edit ${label.toLowerCase()}` : `Undo the changes of ${label.toLowerCase()}`}
        >
          {text === undefined ? 'Edit' : 'Undo changes'}
        </Button>
      </div>
      {text === undefined && folded ? null : text === undefined ? (
        <ScrollBox label={label} className={classes.pre}>
          <TextBlock text={toJson(value)} bare />
        </ScrollBox>
      ) : (
        <Textarea
          aria-label={label}
          value={text}
          error={problem}
          onChange={(event) => change(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={24}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          data-autofocus
        />
      )}
    </section>
  )
}
