/** One task: how it stands, what it asks, what happened so far, its result, and the ways to end it. */

import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import { ChatBubbleIcon, Cross2Icon, TrashIcon } from '@radix-ui/react-icons'
import type { ApiResult, TaskRow } from 'portico/web-api'
import { useEffect, useState } from 'react'
import { Ago } from '../app/ago.tsx'
import type { ApiError } from '../app/data/api.ts'
import { useQuestion } from '../app/data/question-store.ts'
import { useAction } from '../app/data/use-api.ts'
import { FailureNote } from '../app/feedback.tsx'
import { toClock, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { QuestionInPlace } from '../inbox/question-card.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { ToolResultView } from '../parts/result-view.tsx'
import { cutText } from '../parts/text-safety.ts'
import { generationOf, isRunning, lookOf } from './task-words.ts'
import classes from './tasks.module.css'

interface TaskDetailProps {
  readonly task: TaskRow
  readonly onGone: () => void
}

export function TaskDetail({ task, onGone }: TaskDetailProps) {
  const { label, tool, server } = task
  const question = useQuestion(task.question)
  return (
    <Stack gap="md" className={classes.detail}>
      <header>
        <Group gap="xs">
          <Title order={2} size="h3" className={classes.title}>
            {toVisible(tool)}
          </Title>
          <Chip tone={lookOf(task).tone}>{lookOf(task).word}</Chip>
        </Group>
        <div className={classes.about}>
          Task {label} of {toVisible(server)} · {generationOf(task)} · began <Ago at={task.startedAt} />
          {task.expiresAt !== undefined && (
            <>
              {' '}
              · kept until <time dateTime={new Date(task.expiresAt).toISOString()}>{toClock(task.expiresAt)}</time>
            </>
          )}
        </div>
      </header>
      <TaskActions task={task} onGone={onGone} />
      {question !== undefined && <QuestionInPlace question={question} />}
      {isRunning(task) && !task.followed && (
        <Note tone="calm" title="Nobody follows it at the moment">
          It goes on at its server. This program takes it up again when the server is connected.
        </Note>
      )}
      {(task.status === 'completed' || task.status === 'failed') && <Result key={label} label={label} />}
      <History task={task} />
      <JsonView value={task.arguments ?? {}} label="Arguments" open={3} />
    </Stack>
  )
}

function TaskActions({ task, onGone }: TaskDetailProps) {
  const { label, chat } = task
  const cancel = useAction('tasks.cancel')
  const forget = useAction('tasks.forget')
  return (
    <Group gap="xs">
      {isRunning(task) && (
        <Button
          variant="default"
          leftSection={<Cross2Icon />}
          loading={cancel.busy}
          onClick={() => void cancel.run({ label })}
        >
          Cancel the task
        </Button>
      )}
      {!isRunning(task) && (
        <Button
          variant="default"
          leftSection={<TrashIcon />}
          loading={forget.busy}
          onClick={() => void forget.run({ label }).then((done) => done !== undefined && onGone())}
        >
          Take off the list
        </Button>
      )}
      {chat !== undefined && (
        <Anchor href={`#/chat?id=${encodeURIComponent(chat)}`} className={classes.link}>
          <ChatBubbleIcon aria-hidden="true" /> The conversation that began it
        </Anchor>
      )}
    </Group>
  )
}

/** Asked for when wanted: it is with the server, and passes the rules again on its way here. */
function Result({ label }: { readonly label: string }) {
  const [result, setResult] = useState<ApiResult<'tasks.result'>['result']>()
  const [error, setError] = useState<ApiError>()
  const fetch = useAction('tasks.result', setError)
  useEffect(() => {
    if (result !== undefined) setError(undefined)
  }, [result])
  const ask = async (): Promise<void> => {
    const answer = await fetch.run({ label })
    if (answer !== undefined) setResult(answer.result)
  }
  if (result !== undefined) return <ToolResultView result={result} />
  return (
    <Stack gap="sm" align="flex-start">
      {error !== undefined && <FailureNote error={error} />}
      <Button loading={fetch.busy} onClick={() => void ask()}>
        Show the result
      </Button>
    </Stack>
  )
}

function History({ task }: { readonly task: TaskRow }) {
  if (task.history.length === 0) return null
  return (
    <section aria-label="What happened">
      <Title order={3} size="h4">
        What happened
      </Title>
      <ol className={classes.history}>
        {task.history.map(({ at, status, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no name, and only the oldest go
          <li key={index}>
            <span className={classes.when}>{toClock(at)}</span>
            <Chip tone={lookOf({ status }).tone}>{lookOf({ status }).word}</Chip>
            {message !== undefined && <span>{toVisible(cutText(message, 200).text)}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
