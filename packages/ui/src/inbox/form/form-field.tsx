/** One field of a server's form. */

import { Checkbox, Group, NumberInput, Radio, Select, Switch, TextInput } from '@mantine/core'
import { toVisible } from '../../app/text/text.ts'
import type { Field, FieldValue } from './form-model.ts'

export interface FormFieldProps {
  readonly field: Field
  readonly value: FieldValue
  readonly problem: string | undefined
  readonly onChange: (value: FieldValue) => void
}

/** Up to so many choices are all seen at once. */
const FEW = 5

const INPUT_TYPES: { readonly [type: string]: string } = { email: 'email', uri: 'url', date: 'date' }

export function FormField({ field, value, problem, onChange }: FormFieldProps) {
  const { type, required, choices, min, max } = field
  const common = {
    label: toVisible(field.label),
    description: field.description === undefined ? undefined : toVisible(field.description),
    error: problem,
  }
  const labelled = choices.map((choice) => ({ value: choice.value, label: toVisible(choice.label) }))
  switch (type) {
    case 'boolean':
      return <Switch {...common} checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
    case 'number':
    case 'integer':
      return (
        <NumberInput
          {...common}
          withAsterisk={required}
          value={typeof value === 'number' ? value : ''}
          min={min}
          max={max}
          clampBehavior="none"
          allowDecimal={type === 'number'}
          onChange={(next) => onChange(typeof next === 'number' ? next : '')}
        />
      )
    case 'one':
      if (choices.length > FEW) {
        return (
          <Select
            {...common}
            withAsterisk={required}
            data={labelled}
            searchable
            clearable={!required}
            value={value === '' ? null : String(value)}
            onChange={(next) => onChange(next ?? '')}
          />
        )
      }
      return (
        <Radio.Group {...common} withAsterisk={required} value={String(value)} onChange={onChange}>
          <Group gap="md" mt={6}>
            {labelled.map((choice) => (
              <Radio key={choice.value} value={choice.value} label={choice.label} />
            ))}
          </Group>
        </Radio.Group>
      )
    case 'many':
      return (
        <Checkbox.Group
          {...common}
          withAsterisk={required}
          value={Array.isArray(value) ? [...value] : []}
          onChange={onChange}
        >
          <Group gap="md" mt={6}>
            {labelled.map((choice) => (
              <Checkbox key={choice.value} value={choice.value} label={choice.label} />
            ))}
          </Group>
        </Checkbox.Group>
      )
    default:
      return (
        <TextInput
          {...common}
          withAsterisk={required}
          type={INPUT_TYPES[type] ?? 'text'}
          placeholder={type === 'date-time' ? '2026-07-28T09:00:00Z' : undefined}
          autoComplete="off"
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}
