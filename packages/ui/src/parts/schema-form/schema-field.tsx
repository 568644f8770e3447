/** The fields of a form that hold one value each. */

import {
  Autocomplete,
  FileInput,
  Input,
  MultiSelect,
  SegmentedControl,
  Select,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { ChevronDownIcon, ChevronUpIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { toCount, toSize, toVisible } from '../../app/text/text.ts'
import { type JsonValue, parseJson, toJson } from '../json.ts'
import { toByteCount } from '../text-safety.ts'
import { useBrokenField } from './broken-fields.tsx'
import type { FieldProps } from './field-props.ts'
import classes from './schema-form.module.css'
import type { Choice, Field, FieldOf } from './schema-model.ts'
import { isSame, problemAt } from './schema-values.ts'

export function LeafField(props: FieldProps) {
  const { field } = props
  switch (field.kind) {
    case 'text':
      return <TextField {...props} field={field} />
    case 'number':
      return <NumberField {...props} field={field} />
    case 'boolean':
      return <BooleanField {...props} field={field} />
    case 'choice':
      return <ChoiceField {...props} field={field} />
    case 'choices':
      return <ChoicesField {...props} field={field} />
    case 'fixed':
      return <FixedField {...props} field={field} />
    default:
      return <JsonField {...props} />
  }
}

interface Labels {
  readonly label: string
  readonly description?: string
  readonly withAsterisk: boolean
  readonly error?: string
  readonly size: 'sm'
}

function labelsOf({ field, name, path, required, problems }: FieldProps): Labels {
  const problem = problemAt(problems, path)
  const words = [field.description === undefined ? '' : toVisible(field.description), boundsOf(field)]
  const description = words.filter((part) => part !== '').join(' · ')
  return {
    label: toVisible(field.title ?? name) + (field.deprecated ? ' (deprecated)' : ''),
    ...(description !== '' && { description }),
    withAsterisk: required,
    ...(problem !== undefined && { error: problem }),
    size: 'sm',
  }
}

function boundsOf(field: Field): string {
  if (field.kind === 'number') {
    const { minimum = field.above, maximum = field.below } = field
    if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
    if (minimum !== undefined) return `${minimum} or more`
    return maximum === undefined ? '' : `${maximum} or less`
  }
  if (field.kind !== 'text') return ''
  const { minLength = 0, maxLength } = field
  if (minLength > 1 && maxLength !== undefined) return `${minLength} to ${maxLength} characters`
  if (minLength > 1) return `at least ${minLength} characters`
  return maxLength === undefined ? '' : `up to ${toCount(maxLength, 'character')}`
}

const INPUT_TYPES = new Map([
  ['date', 'date'],
  ['date-time', 'datetime-local'],
  ['time', 'time'],
  ['email', 'email'],
  ['uri', 'url'],
  ['password', 'password'],
])

function TextField(props: FieldProps<FieldOf<'text'>>) {
  if (props.field.isFile === true) return <BytesField {...props} />
  if (props.field.format === 'date-time') return <MomentField {...props} />
  const { field, value, required, onChange } = props
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
  const change = (next: string) => onChange(next === '' && !required ? undefined : next)
  const placeholder = exampleOf(field)
  const isLong = (field.maxLength ?? 0) > 200 || text.length > 80 || text.includes('\n') || LONG.test(props.name)
  if (isLong && field.format === undefined) {
    return (
      <Textarea
        {...labelsOf(props)}
        autosize
        minRows={2}
        maxRows={12}
        value={text}
        placeholder={placeholder}
        onChange={(event) => change(event.currentTarget.value)}
      />
    )
  }
  const examples = field.examples.filter((example): example is string => typeof example === 'string')
  if (examples.length > 1) {
    return (
      <Autocomplete
        {...labelsOf(props)}
        data={[...new Set(examples)]}
        value={text}
        placeholder={placeholder}
        onChange={change}
      />
    )
  }
  return (
    <TextInput
      {...labelsOf(props)}
      type={INPUT_TYPES.get(field.format ?? '') ?? 'text'}
      // What the browser knows of a person is not for servers.
      autoComplete="off"
      value={text}
      placeholder={placeholder}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

/** A time with its zone, chosen in the person's own. */
function MomentField(props: FieldProps<FieldOf<'text'>>) {
  const { value, onChange } = props
  const moment = typeof value === 'string' ? new Date(value) : undefined
  const isMoment = moment !== undefined && !Number.isNaN(moment.getTime())
  return (
    <TextInput
      {...labelsOf(props)}
      type="datetime-local"
      step={1}
      value={isMoment ? toLocalText(moment) : ''}
      onChange={({ currentTarget }) => {
        const next = new Date(currentTarget.value)
        onChange(Number.isNaN(next.getTime()) ? undefined : next.toISOString())
      }}
    />
  )
}

function toLocalText(moment: Date): string {
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

const MAX_FILE_BYTES = 12 * 1_048_576

/** A file of the person's, sent as base64; what is there already can be replaced or left out. */
function BytesField(props: FieldProps<FieldOf<'text'>>) {
  const { value, onChange } = props
  const labels = labelsOf(props)
  const [problem, setProblem] = useState<string>()
  const size = typeof value === 'string' && value !== '' ? toSize(toByteCount(value)) : undefined
  const take = async (file: File | null) => {
    const isTooLarge = file !== null && file.size > MAX_FILE_BYTES
    setProblem(isTooLarge ? `At most ${toSize(MAX_FILE_BYTES)}` : undefined)
    onChange(file === null || isTooLarge ? undefined : await toBase64(file))
  }
  return (
    <FileInput
      {...labels}
      error={problem ?? labels.error}
      clearable
      placeholder={size === undefined ? 'Choose a file' : `${size} chosen`}
      onChange={(file) => void take(file)}
    />
  )
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

const LONG = /^(?:content|body|text|query|sql|code|prompt|message|script|markdown|html)$/i

function NumberField(props: FieldProps<FieldOf<'number'>>) {
  const { field, value, onChange } = props
  const [typed, setTyped] = useState('')
  // What is typed may be on the way to a number (`1.`, `-`); anything else comes from the value.
  const isTyped = typed !== '' && (toNumber(typed) ?? typed) === value
  const text = isTyped ? typed : value === undefined ? '' : String(value)
  return (
    <TextInput
      {...labelsOf(props)}
      inputMode={field.integer ? 'numeric' : 'decimal'}
      rightSection={<Stepper field={field} value={value} onChange={onChange} />}
      value={text}
      placeholder={exampleOf(field)}
      onChange={(event) => {
        const next = event.currentTarget.value
        setTyped(next)
        onChange(next.trim() === '' ? undefined : (toNumber(next) ?? next))
      }}
    />
  )
}

interface StepperProps {
  readonly field: FieldOf<'number'>
  readonly value: JsonValue | undefined
  readonly onChange: (value: JsonValue) => void
}

/** One more, one less; arrow keys move the caret as anywhere else. */
function Stepper({ field, value, onChange }: StepperProps) {
  const step = field.multipleOf ?? 1
  const move = (by: number) => {
    const from = typeof value === 'number' ? value : (field.minimum ?? 0) - by
    const next = Number((from + by).toPrecision(12))
    onChange(Math.min(field.maximum ?? next, Math.max(field.minimum ?? next, next)))
  }
  return (
    <span className={classes.stepper}>
      <button type="button" tabIndex={-1} aria-label="One step up" onClick={() => move(step)}>
        <ChevronUpIcon />
      </button>
      <button type="button" tabIndex={-1} aria-label="One step down" onClick={() => move(-step)}>
        <ChevronDownIcon />
      </button>
    </span>
  )
}

function toNumber(text: string): number | undefined {
  return /^\s*-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined
}

function BooleanField(props: FieldProps<FieldOf<'boolean'>>) {
  const { field, value, required, onChange } = props
  const { label, description, error } = labelsOf(props)
  const unset = typeof field.default === 'boolean' ? `Default (${field.default ? 'Yes' : 'No'})` : 'Not set'
  if (required) {
    return (
      <Switch
        label={label}
        description={description}
        error={error}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  }
  return (
    <Input.Wrapper label={label} description={description} error={error} size="sm" labelElement="div">
      <SegmentedControl
        className={classes.answers}
        size="xs"
        aria-label={label}
        data={[unset, 'Yes', 'No']}
        value={value === true ? 'Yes' : value === false ? 'No' : unset}
        onChange={(next) => onChange(next === unset ? undefined : next === 'Yes')}
      />
    </Input.Wrapper>
  )
}

function ChoiceField(props: FieldProps<FieldOf<'choice'>>) {
  const { field, value, required, onChange } = props
  const index = value === undefined ? -1 : field.choices.findIndex((choice) => isSame(choice.value, value))
  return (
    <Select
      {...labelsOf(props)}
      data={optionsOf(field.choices)}
      placeholder="Choose"
      searchable={field.choices.length > 8}
      limit={200}
      clearable={!required}
      value={index === -1 ? null : String(index)}
      onChange={(next) => onChange(next === null ? undefined : field.choices[Number(next)]?.value)}
    />
  )
}

function ChoicesField(props: FieldProps<FieldOf<'choices'>>) {
  const { field, value, required, onChange } = props
  const chosen: readonly JsonValue[] = Array.isArray(value) ? value : []
  const indexes = field.choices.flatMap((choice, index) =>
    chosen.some((one) => isSame(one, choice.value)) ? [String(index)] : [],
  )
  return (
    <MultiSelect
      {...labelsOf(props)}
      data={optionsOf(field.choices)}
      searchable
      limit={200}
      value={indexes}
      onChange={(next) => {
        const values = next.flatMap((index) => field.choices[Number(index)]?.value ?? [])
        onChange(values.length === 0 && !required ? undefined : values)
      }}
    />
  )
}

function FixedField(props: FieldProps<FieldOf<'fixed'>>) {
  const { field, value, required, onChange } = props
  return (
    <Switch
      label={`${labelsOf(props).label}: ${JSON.stringify(field.value)}`}
      description={labelsOf(props).description}
      checked={value !== undefined}
      disabled={required && value !== undefined}
      onChange={(event) => onChange(event.currentTarget.checked ? field.value : undefined)}
    />
  )
}

function JsonField(props: FieldProps) {
  const { field, value, onChange } = props
  const [draft, setDraft] = useState<{ readonly text: string; readonly problem: string; readonly of: typeof value }>()
  // Belongs to the value that it was to replace; another one that came here since has its own text.
  const current = draft !== undefined && draft.of === value ? draft : undefined
  useBrokenField(current !== undefined)
  const labels = labelsOf(props)
  const why = field.kind === 'json' ? `JSON, because ${field.why}` : 'JSON'
  return (
    <Textarea
      {...labels}
      description={labels.description === undefined ? why : `${labels.description} · ${why}`}
      error={current?.problem ?? labels.error}
      classNames={{ input: classes.mono }}
      autosize
      minRows={2}
      maxRows={14}
      spellCheck={false}
      value={current?.text ?? (value === undefined ? '' : toJson(value))}
      onChange={(event) => {
        const text = event.currentTarget.value
        const parsed = parseJson(text)
        setDraft(parsed.ok || text.trim() === '' ? undefined : { text, problem: parsed.problem, of: value })
        if (text.trim() === '') onChange(undefined)
        else if (parsed.ok) onChange(parsed.value)
      }}
    />
  )
}

function optionsOf(choices: readonly Choice[]): { value: string; label: string }[] {
  return choices.map(({ label }, index) => ({ value: String(index), label: toVisible(label) }))
}

function exampleOf({ examples, default: fallback }: Field): string | undefined {
  const example = examples[0] ?? fallback
  if (example === undefined || example === null) return undefined
  return typeof example === 'string' ? toVisible(example) : JSON.stringify(example)
}
