/** Adds a model by the address of its server. Keys stay in the environment; the page asks only for the variable's name. */

import { Button, Code, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ApiError } from '../app/data/api.ts'
import { showDone, useAction } from '../app/data/use-api.ts'
import { FailureNote } from '../app/feedback.tsx'

interface AddModelProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onAdded: (id: string) => void
}

export function AddModel({ opened, onClose, onAdded }: AddModelProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add a model" size="md" closeButtonProps={{ 'aria-label': 'Close' }}>
      {opened && <AddModelForm onClose={onClose} onAdded={onAdded} />}
    </Modal>
  )
}

function AddModelForm({ onClose, onAdded }: Omit<AddModelProps, 'opened'>) {
  const [model, setModel] = useState<NewModel>({ url: '', model: '', id: '', keyVariable: '' })
  const [tried, setTried] = useState(false)
  const [error, setError] = useState<ApiError>()
  const add = useAction('chat.addModel', setError)
  const submit = async () => {
    setTried(true)
    if (Object.values(problemsOf(model)).some((problem) => problem !== undefined)) return
    const name = model.id.trim() === '' ? model.model.trim() : model.id.trim()
    const params = { id: name, url: model.url.trim(), model: model.model.trim() }
    const key = model.keyVariable.trim()
    const isDone = await add.run(key === '' ? params : { ...params, keyVariable: key })
    if (isDone === undefined) return
    showDone(`${name} is added`)
    onAdded(name)
    onClose()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack gap="sm">
        <Fields model={model} set={(change) => setModel((before) => ({ ...before, ...change }))} tried={tried} />
        {error !== undefined && <FailureNote error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.busy}>
            Add the model
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface NewModel {
  readonly url: string
  readonly model: string
  /** Its name here. */
  readonly id: string
  readonly keyVariable: string
}

interface FieldsProps {
  readonly model: NewModel
  readonly set: (change: Partial<NewModel>) => void
  readonly tried: boolean
}

function Fields({ model, set, tried }: FieldsProps) {
  const problems = problemsOf(model)
  return (
    <>
      <TextInput
        label="Address"
        description="Of any server that speaks the OpenAI protocol: Ollama, llama.cpp, vLLM, LM Studio, a provider"
        placeholder="http://localhost:11434/v1"
        withAsterisk
        data-autofocus
        value={model.url}
        error={tried ? problems.url : undefined}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <TextInput
        label="Model"
        description="As that server calls it"
        placeholder="qwen3:8b"
        withAsterisk
        value={model.model}
        error={tried ? problems.model : undefined}
        onChange={(event) => set({ model: event.currentTarget.value })}
      />
      <TextInput
        label="Name here"
        description="The model’s own name unless given"
        value={model.id}
        onChange={(event) => set({ id: event.currentTarget.value })}
      />
      <TextInput
        label="Variable that holds the key"
        description={
          <>
            The name of an environment variable such as <Code>OPENAI_API_KEY</Code>, never the key itself
          </>
        }
        value={model.keyVariable}
        error={problems.keyVariable}
        onChange={(event) => set({ keyVariable: event.currentTarget.value })}
      />
    </>
  )
}

function problemsOf({ url, model, keyVariable }: NewModel) {
  const isWeb = URL.canParse(url.trim()) && /^https?:/.test(url.trim())
  const isName = keyVariable.trim() === '' || /^[A-Za-z_]\w{0,99}$/.test(keyVariable.trim())
  return {
    url: isWeb ? undefined : 'An address that begins with https:// or http://',
    model: model.trim() === '' ? 'What is the model called?' : undefined,
    keyVariable: isName ? undefined : 'This is no name of a variable. Do not put the key itself here.',
  }
}
