/** A server wants words from a model: read the prompt, change it, choose who answers, or say no (sec-115). */

import { Button, Select, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { toCount, toVisible } from '../app/text.ts'
import { Note } from '../app/tone.tsx'
import classes from './inbox.module.css'
import type { BodyProps } from './question-body.ts'
import { messagesOf, withTexts } from './sampling-model.ts'

export function SamplingRequest({ body: { request, models }, answer }: BodyProps<'sampling'>) {
  const messages = messagesOf(request)
  const givenSystem = typeof request.systemPrompt === 'string' ? request.systemPrompt : undefined
  const [texts, setTexts] = useState(() => messages.map(({ text }) => text))
  const [system, setSystem] = useState(givenSystem)
  const [model, setModel] = useState(models[0])
  const isEdited = system !== givenSystem || texts.some((text, at) => text !== messages[at]?.text)
  const context = request.includeContext
  const allow = () =>
    answer({
      action: 'allow',
      ...(model !== undefined && { model }),
      ...(isEdited && { content: withTexts(request, texts, system) }),
    })
  return (
    <Stack gap="md">
      {context !== undefined && context !== 'none' && (
        <Note tone="warn" title="It also asks for parts of your conversation">
          {context === 'allServers' ? 'Including what other servers said.' : 'What this server itself said in it.'}
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
      {messages.map(({ role, text, what }, at) =>
        text === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their places
          <Text key={at} c="dimmed">
            {toVisible(role)}: {toVisible(what)}, sent as it is
          </Text>
        ) : (
          <Textarea
            // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their places
            key={at}
            label={role === 'assistant' ? 'Said by the model before' : 'Prompt'}
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
      <div className={classes.foot}>
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
              {Array.isArray(request.tools) && ` · ${toCount(request.tools.length, 'tool')} offered`}
            </Text>
          )}
        </div>
        <div className={classes.buttons}>
          <Button variant="default" onClick={() => void answer({ action: 'deny' })}>
            Deny
          </Button>
          <Button onClick={() => void allow()}>{isEdited ? 'Send as changed' : 'Send to the model'}</Button>
        </div>
      </div>
    </Stack>
  )
}
