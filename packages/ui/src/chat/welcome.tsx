/** What the chat shows before there is a conversation: how to get a model, and a tour that needs none. */

import { Button, Code, Stack, Text, Title } from '@mantine/core'
import { ChatBubbleIcon, PlayIcon, PlusIcon } from '@radix-ui/react-icons'
import type { ModelChoice } from 'portico/web-api'
import { Chip } from '../app/tone.tsx'
import classes from './welcome.module.css'

interface WelcomeProps {
  readonly models: readonly ModelChoice[]
  readonly hint: string
  readonly onNew: () => void
  readonly onAddModel: () => void
  readonly onTour: () => void
}

export function Welcome({ models, hint, onNew, onAddModel, onTour }: WelcomeProps) {
  const isReady = models.some(({ usable }) => usable)
  return (
    <div className={classes.welcome}>
      <Stack gap="xs" align="center">
        <span className={classes.emblem} aria-hidden="true">
          <ChatBubbleIcon width={24} height={24} />
        </span>
        <Title order={2}>{isReady ? 'Talk to your servers' : 'No model yet'}</Title>
        <Text c="dimmed" maw="32rem" ta="center">
          {isReady ? 'A model uses the tools of your servers. You see each call before it happens, and decide.' : hint}
        </Text>
      </Stack>
      <div className={classes.cards}>
        {isReady ? (
          <Choice
            title="New conversation"
            words={`With ${models.find(({ usable }) => usable)?.label ?? 'a model'}; others can be chosen at any time.`}
            icon={<ChatBubbleIcon />}
            deed="Start"
            onDo={onNew}
            isFirst
          />
        ) : (
          <WaysToModel onAddModel={onAddModel} />
        )}
        <Choice
          title="Take the tour"
          words="A scripted conversation, no model: the tools, the approvals and the results are real."
          icon={<PlayIcon />}
          deed="Start the tour"
          chip="Scripted"
          onDo={onTour}
        />
      </div>
      {!isReady && models.length > 0 && (
        <ul className={classes.models} aria-label="Models that cannot be used yet">
          {models.map(({ id, label, remedy }) => (
            <li key={id}>
              <strong>{label}</strong> {remedy}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function WaysToModel({ onAddModel }: Pick<WelcomeProps, 'onAddModel'>) {
  return (
    <>
      <Choice
        title="Add a model by its address"
        words="Ollama, llama.cpp, LM Studio or any server that speaks the OpenAI protocol."
        icon={<PlusIcon />}
        deed="Add a model"
        onDo={onAddModel}
        isFirst
      />
      <section className={classes.card}>
        <Title order={3}>Or use a key you have</Title>
        <Text size="sm" c="dimmed">
          Set <Code>OPENAI_API_KEY</Code>, <Code>ANTHROPIC_API_KEY</Code> or <Code>GOOGLE_GENERATIVE_AI_API_KEY</Code>{' '}
          where you start Portico, and start it again. Keys stay in the environment.
        </Text>
      </section>
    </>
  )
}

interface ChoiceProps {
  readonly title: string
  readonly words: string
  readonly icon: React.ReactNode
  readonly deed: string
  readonly chip?: string
  readonly isFirst?: boolean
  readonly onDo: () => void
}

function Choice({ title, words, icon, deed, chip, isFirst, onDo }: ChoiceProps) {
  return (
    <section className={classes.card}>
      <div className={classes.cardHead}>
        <Title order={3}>{title}</Title>
        {chip !== undefined && (
          <Chip tone="busy" icon={false}>
            {chip}
          </Chip>
        )}
      </div>
      <Text size="sm" c="dimmed">
        {words}
      </Text>
      <Button className={classes.deed} variant={isFirst ? 'filled' : 'default'} leftSection={icon} onClick={onDo}>
        {deed}
      </Button>
    </section>
  )
}
