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
import { messagesOf, restOf, withTexts } from './sampling-model.ts'

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
      {messages.map(({ role, text, what, content }, at) =>
        text === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their places
          <Whole key={at} label={`${role}: ${what}, sent as it is`} value={content} />
        ) : (
          <Textarea
            // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their places
            key={at}
            label={role === 'assistant' ? 'Earlier answer of the model' : 'Prompt'}
            value={toVisible(texts[at] ?? '')}
            onChange={(event) => {
              const { value } = event.currentTarget
              setTexts((before) => before.map((one, place) => (place === at ? value : one)))
            }}
            autosize
            minRows={2}
            maxRows={16}
          />
        ),
      )}
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
        <div className={classes.remember}>
          <Select
            size="xs"
            label="Answered by"
            data={[...models]}
            value={model ?? null}
            allowDeselect={false}
            onChange={(value) => setModel(value ?? undefined)}
          />
          {typeof request.maxTokens === 'number' && (
            <Text size="xs" c="dimmed">
              Up to {toCount(request.maxTokens, 'token')}
            </Text>
          )}
        </div>
      </AnswerFoot>
    </Stack>
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
