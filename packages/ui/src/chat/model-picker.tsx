/** Which model answers: where each is known from, what is missing to use it, and a way to add one. */

import { ActionIcon, Group, Select, type SelectProps, Tooltip } from '@mantine/core'
import { PlusIcon } from '@radix-ui/react-icons'
import type { ModelChoice } from 'portico/web-api'
import classes from './model-picker.module.css'

interface ModelPickerProps {
  readonly models: readonly ModelChoice[]
  readonly value: string | undefined
  readonly onChange: (model: string) => void
  readonly onAdd: () => void
  /** The list is opened: what could not be reached may be there now. */
  readonly onLook: () => void
}

export function ModelPicker({ models, value, onChange, onAdd, onLook }: ModelPickerProps) {
  const byId = new Map(models.map((model) => [model.id, model]))
  const renderOption: SelectProps['renderOption'] = ({ option }) => {
    const model = byId.get(option.value)
    return (
      <div className={classes.option}>
        <span className={classes.label}>{option.label}</span>
        <span className={classes.source}>
          {model?.provider} · {model?.source}
        </span>
        {model?.usable === false && <span className={classes.remedy}>{model.remedy ?? 'Not available now.'}</span>}
      </div>
    )
  }
  return (
    <Group gap={4} wrap="nowrap">
      <Select
        aria-label="Model"
        placeholder="Choose a model"
        size="sm"
        w={{ base: 180, sm: 250 }}
        allowDeselect={false}
        searchable={models.length > 8}
        nothingFoundMessage="No match"
        comboboxProps={{ width: 320, position: 'bottom-end' }}
        maxDropdownHeight={360}
        data={models.map(({ id, label, usable }) => ({ value: id, label, disabled: !usable }))}
        value={value ?? null}
        onDropdownOpen={onLook}
        onChange={(next) => next !== null && onChange(next)}
        renderOption={renderOption}
      />
      <Tooltip label="Add a model">
        <ActionIcon variant="default" size={36} aria-label="Add a model" onClick={onAdd}>
          <PlusIcon />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}
