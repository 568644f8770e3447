/** Draws the fields of a schema. Each field is told its value and says the new one; nothing is kept here. */

import { ActionIcon, Button, Select, Text } from '@mantine/core'
import { Cross2Icon, PlusIcon } from '@radix-ui/react-icons'
import { useState } from 'react'
import { toVisible } from '../../app/text/text.ts'
import { isRecord, type JsonRecord, type JsonValue, memberOf, withMember } from '../json.ts'
import type { FieldProps } from './field-props.ts'
import { LeafField } from './schema-field.tsx'
import classes from './schema-form.module.css'
import type { Field, FieldOf, Member } from './schema-model.ts'
import { blankValue, type FieldProblem, join, pickedOption, problemAt } from './schema-values.ts'

interface SchemaFormProps {
  readonly field: FieldOf<'object'>
  readonly value: JsonRecord
  readonly problems: readonly FieldProblem[]
  readonly onChange: (value: JsonRecord) => void
}

export function SchemaForm({ field, value, problems, onChange }: SchemaFormProps) {
  if (field.members.length === 0) return <Text c="dimmed">It takes no arguments.</Text>
  return (
    <div className={classes.form}>
      <Folded {...{ field, value, problems, onChange }} />
    </div>
  )
}

/** From so many optional fields on they can be folded away. */
const MANY_OPTIONAL = 6

function Folded({ field, value, problems, onChange }: SchemaFormProps) {
  const [isOpen, setOpen] = useState(true)
  const required = field.members.filter((member) => member.required)
  const optional = field.members.filter((member) => !member.required)
  const common = { value, path: '', problems, onChange }
  if (optional.length < MANY_OPTIONAL) return <Members members={field.members} {...common} />
  return (
    <>
      <Members members={required} {...common} />
      <Button
        className={classes.add}
        size="compact-sm"
        variant="subtle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide' : 'Show'} {optional.length} optional fields
      </Button>
      {isOpen && <Members members={optional} {...common} />}
    </>
  )
}

interface MembersProps {
  readonly members: readonly Member[]
  readonly value: JsonRecord
  readonly path: string
  readonly problems: readonly FieldProblem[]
  readonly onChange: (value: JsonRecord) => void
}

function Members({ members, value, path, problems, onChange }: MembersProps) {
  return members.map(({ name, required, field }) => (
    <FieldView
      key={name}
      field={field}
      name={name}
      path={join(path, name)}
      required={required}
      value={memberOf(value, name)}
      problems={problems}
      onChange={(next) => onChange(withMember(value, name, next))}
    />
  ))
}

function FieldView(props: FieldProps) {
  const { field } = props
  switch (field.kind) {
    case 'object':
      return <ObjectField {...props} field={field} />
    case 'list':
      return <ListField {...props} field={field} />
    case 'pick':
      return <PickField {...props} field={field} />
    default:
      return <LeafField {...props} field={field} />
  }
}

function ObjectField({ field, name, path, required, value, problems, onChange }: FieldProps<FieldOf<'object'>>) {
  if (!isRecord(value)) {
    return (
      <Frame field={field} name={name} required={required} problem={problemAt(problems, path)}>
        <AddButton label={`Fill in ${name}`} onAdd={() => onChange(blankValue({ ...field, default: {} }))} />
      </Frame>
    )
  }
  return (
    <Frame
      field={field}
      name={name}
      required={required}
      problem={problemAt(problems, path)}
      onRemove={required ? undefined : () => onChange(undefined)}
    >
      {/* Checked to be a record just above; it came from JSON. */}
      <Members
        members={field.members}
        value={value as JsonRecord}
        path={path}
        problems={problems}
        onChange={onChange}
      />
    </Frame>
  )
}

function ListField({ field, name, path, required, value, problems, onChange }: FieldProps<FieldOf<'list'>>) {
  const items: readonly JsonValue[] = Array.isArray(value) ? value : []
  const replace = (index: number, next: JsonValue | undefined) =>
    onChange(items.map((item, place) => (place === index ? (next ?? blankValue(field.item)) : item)))
  const remove = (index: number) => {
    const left = items.filter((_, place) => place !== index)
    onChange(left.length === 0 && !required ? undefined : left)
  }
  return (
    <Frame field={field} name={name} required={required} problem={problemAt(problems, path)}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no name
        <div key={index} className={classes.item}>
          <div className={classes.itemField}>
            <FieldView
              field={field.item}
              name={`${name} ${index + 1}`}
              path={join(path, String(index))}
              required
              value={item}
              problems={problems}
              onChange={(next) => replace(index, next)}
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.itemRemove}
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => remove(index)}
          >
            <Cross2Icon />
          </ActionIcon>
        </div>
      ))}
      {items.length < (field.maxItems ?? 200) && (
        <AddButton label={`Add to ${name}`} onAdd={() => onChange([...items, blankValue(field.item)])} />
      )}
    </Frame>
  )
}

function PickField(props: FieldProps<FieldOf<'pick'>>) {
  const { field, name, path, required, value } = props
  const [chosen, setChosen] = useState<{ readonly index: number; readonly value: JsonValue | undefined }>()
  // What was chosen here holds for what was entered here; a value from elsewhere has the shape that it has.
  const isOwn = chosen !== undefined && chosen.value === value
  const picked = isOwn ? chosen.index : value === undefined ? undefined : pickedOption(field, value)
  const onChange = (next: JsonValue | undefined) => {
    if (picked !== undefined) setChosen({ index: picked, value: next })
    props.onChange(next)
  }
  const option = picked === undefined ? undefined : field.options[picked]
  /** A single field says itself what is wrong with it; a choice not made, or an object, does not. */
  const isShown = option !== undefined && !(option.field.kind === 'object' && isRecord(value))
  return (
    <Frame
      field={field}
      name={name}
      required={required}
      problem={isShown ? undefined : problemAt(props.problems, path)}
    >
      <Select
        size="sm"
        aria-label={`Type of ${name}`}
        placeholder="Choose a type"
        clearable={!required}
        data={field.options.map(({ label }, index) => ({ value: String(index), label: toVisible(label) }))}
        value={picked === undefined ? null : String(picked)}
        onChange={(next) => {
          const index = next === null ? undefined : Number(next)
          const shape = index === undefined ? undefined : field.options[index]
          const first = shape === undefined ? undefined : blankValue(shape.field)
          setChosen(index === undefined ? undefined : { index, value: first })
          props.onChange(first)
        }}
      />
      {option !== undefined &&
        (option.field.kind === 'object' && isRecord(value) ? (
          <Members
            members={option.field.members}
            value={value as JsonRecord}
            path={props.path}
            problems={props.problems}
            onChange={onChange}
          />
        ) : (
          <FieldView {...props} field={option.field} name={option.label} required onChange={onChange} />
        ))}
    </Frame>
  )
}

interface FrameProps {
  readonly field: Field
  readonly name: string
  readonly required: boolean
  readonly problem?: string | undefined
  readonly onRemove?: (() => void) | undefined
  readonly children: React.ReactNode
}

function Frame({ field, name, required, problem, onRemove, children }: FrameProps) {
  return (
    <fieldset className={classes.frame}>
      <legend className={classes.legend}>
        {toVisible(field.title ?? name)}
        {required && (
          <span className={classes.star} aria-hidden="true">
            {' '}
            *
          </span>
        )}
      </legend>
      {onRemove !== undefined && (
        <ActionIcon
          className={classes.remove}
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Leave out ${name}`}
          onClick={onRemove}
        >
          <Cross2Icon />
        </ActionIcon>
      )}
      {field.description !== undefined && <p className={classes.description}>{toVisible(field.description)}</p>}
      <div className={classes.inner}>{children}</div>
      {problem !== undefined && (
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

function AddButton({ label, onAdd }: { readonly label: string; readonly onAdd: () => void }) {
  return (
    <Button className={classes.add} size="compact-sm" variant="light" leftSection={<PlusIcon />} onClick={onAdd}>
      {label}
    </Button>
  )
}
