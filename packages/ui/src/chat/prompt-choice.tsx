/** A prompt on its way into a message: its arguments, then what it says, which is what the person agrees to. */

import { Button, Group, ScrollArea, Stack, Text } from '@mantine/core'
import type { ApiResult, Attachment } from 'portico/web-api'
import { useState } from 'react'
import { useAction } from '../app/data/use-api.ts'
import { toVisible } from '../app/text/text.ts'
import { CompletingField } from '../items/completing-field.tsx'
import { titleOf } from '../items/item-row.tsx'
import type { ItemOf } from '../items/item-store.ts'
import { PromptResultView } from '../parts/result-view.tsx'

interface PromptChoiceProps {
  readonly item: ItemOf<'prompt'>
  readonly onAttach: (attachment: Attachment) => void
  readonly onBack: () => void
}

export function PromptChoice({ item, onAttach, onBack }: PromptChoiceProps) {
  const { server, name, ownName, definition } = item
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map())
  const [shown, setShown] = useState<ApiResult<'prompts.get'>['result']>()
  const get = useAction('prompts.get')
  const fields = definition.arguments ?? []
  const isReady = fields.every((field) => field.required !== true || (values.get(field.name) ?? '') !== '')
  const given = Object.fromEntries(values)
  const look = async () => {
    const answer = await get.run({ name, arguments: given, run: crypto.randomUUID() })
    setShown(answer?.result)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (shown !== undefined) onAttach({ kind: 'prompt', server, name, arguments: given, seen: shown.messages })
        else if (isReady) void look()
      }}
    >
      <Stack gap="sm">
        <Text fw={560}>{toVisible(titleOf(item))}</Text>
        {fields.map((field) => (
          <CompletingField
            key={field.name}
            server={server}
            reference={{ type: 'ref/prompt', name: ownName }}
            name={field.name}
            label={field.title ?? field.name}
            description={field.description}
            required={field.required === true}
            value={values.get(field.name) ?? ''}
            others={Object.fromEntries([...values].filter(([other]) => other !== field.name))}
            onChange={(next) => {
              setShown(undefined)
              setValues(new Map(values).set(field.name, next))
            }}
          />
        ))}
        {shown !== undefined && (
          <ScrollArea.Autosize mah="40vh" aria-label="What the prompt says">
            <PromptResultView result={shown} />
          </ScrollArea.Autosize>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button type="submit" disabled={!isReady} loading={get.busy}>
            {shown === undefined ? 'Show' : 'Attach'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
