/** A JSON object that can be read and, after a click, changed. The text stays as typed until it is an object again. */

import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import { toVisible } from '../app/text/text.ts'
import { isRecord, parseJson, toJson } from '../parts/json.ts'
import { PagedText } from '../parts/paged-text.tsx'
import type { Schema } from './form/form-model.ts'
import classes from './inbox.module.css'

interface ObjectEditorProps {
  readonly label: string
  readonly value: Schema
  /** Undefined while the text is no object. */
  readonly onChange: (value: Schema | undefined) => void
}

export function ObjectEditor({ label, value, onChange }: ObjectEditorProps) {
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
      {text === undefined ? (
        <Members label={label} value={value} />
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

/** Texts of several lines, such as code, as they are; all else as the JSON that it is. */
function Members({ label, value }: Pick<ObjectEditorProps, 'label' | 'value'>) {
  const { rest, texts } = splitTexts(value)
  return (
    <>
      {(texts.length === 0 || Object.keys(rest).length > 0) && <PagedText label={label} text={toJson(rest)} />}
      {texts.map(([name, text]) => (
        <div key={name} className={classes.member}>
          <div className={classes.memberName}>{toVisible(name)}</div>
          <PagedText label={`${label}: ${name}`} text={text} />
        </div>
      ))}
    </>
  )
}

function splitTexts(value: Schema) {
  const texts: (readonly [name: string, text: string])[] = []
  const rest: [string, unknown][] = []
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'string' && one.includes('\n')) texts.push([name, one])
    else rest.push([name, one])
  }
  return { texts, rest: Object.fromEntries(rest) }
}
