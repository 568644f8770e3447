/** A server wants words from a model: read the prompt, change it, choose who answers, or say no (sec-115). */

import { Select, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { toCount, toVisible } from '../../app/text/text.ts'
import { Note } from '../../app/tone.tsx'
import { toJson } from '../../parts/json.ts'
import { PagedText } from '../../parts/paged-text.tsx'
import { AnswerFoot } from '../answer-foot.tsx'
import classes from '../inbox.module.css'
import type { BodyProps } from '../question-body.ts'
import { messagesOf, restOf, type SamplingMessage, withTexts } from './sampling-model.ts'

export function SamplingRequest({ body: { request, models }, answer }: BodyProps<'sampling'>) {
  const messages = messagesOf(request)
  const givenSystem = typeof request.systemPrompt === 'string' ? request.systemPrompt : undefined
  const [texts, setTexts] = useState(() => messages.map(({ text }) => text))
  const [system, setSystem] = useState(givenSystem)
  const [model, setModel] = useState(models[0])
  const isEdited = system !== givenSystem || texts.some((text, at) => text !== messages[at]?.text)
  const context = request.includeContext
  const more = restOf(request)
  return (
    <Stack gap="md">
      {context !== undefined && context !== 'none' && (
        <Note tone="warn" title="It also asks for parts of your conversation">
          {context === 'allServers' ? 'Including what other servers said.' : 'Only what this server said.'}
        </Note>
      )}
      {givenSystem !== undefined && (
        <Textarea
          label="Instructions to the model"
          value={toVisible(system ?? '')}
          onChange={(event) => setSystem(event.currentTarget.value)}
          autosize
          maxRows={10}
        />
      )}
      {messages.map((message, at) => (
        <Message
          // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their places
          key={at}
          message={message}
          text={texts[at]}
          onChange={(value) => setTexts((before) => before.map((one, place) => (place === at ? value : one)))}
        />
      ))}
      {Object.keys(more).length > 0 && <Whole label="Other parameters" value={more} />}
      <AnswerFoot
        answer={answer}
        allow={{
          action: 'allow',
          ...(model !== undefined && { model }),
          ...(isEdited && { content: withTexts(request, texts, system) }),
        }}
        changed={isEdited}
      >
        <ModelChoice models={models} model={model} onModel={setModel} maxTokens={request.maxTokens} />
      </AnswerFoot>
    </Stack>
  )
}

interface ModelChoiceProps {
  readonly models: readonly string[]
  readonly model: string | undefined
  readonly onModel: (model: string | undefined) => void
  readonly maxTokens: unknown
}

function ModelChoice({ models, model, onModel, maxTokens }: ModelChoiceProps) {
  return (
    <div className={classes.remember}>
      <Select
        size="xs"
        label="Answered by"
        data={[...models]}
        value={model ?? null}
        allowDeselect={false}
        onChange={(value) => onModel(value ?? undefined)}
      />
      {typeof maxTokens === 'number' && (
        <Text size="xs" c="dimmed">
          Up to {toCount(maxTokens, 'token')}
        </Text>
      )}
    </div>
  )
}

interface MessageProps {
  readonly message: SamplingMessage
  /** As it was changed. */
  readonly text: string | undefined
  readonly onChange: (text: string) => void
}

function Message({ message: { role, text: given, what, content }, text, onChange }: MessageProps) {
  if (given === undefined) return <Whole label={`${role}: ${what}, sent as it is`} value={content} />
  return (
    <Textarea
      label={role === 'assistant' ? 'Earlier answer of the model' : 'Prompt'}
      value={toVisible(text ?? '')}
      onChange={(event) => onChange(event.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={16}
    />
  )
}

/** What cannot be changed here, all of it. */
function Whole({ label, value }: { readonly label: string; readonly value: unknown }) {
  return (
    <section className={classes.block} aria-label={label}>
      <div className={classes.blockHead}>
        <span>{toVisible(label)}</span>
      </div>
      <PagedText label={label} text={toJson(value)} />
    </section>
  )
}
