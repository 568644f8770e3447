/** One call that the model wants: whose tool, with what, why it is asked, how it went. */

import { Anchor, Progress, Stack, UnstyledButton } from '@mantine/core'
import { ChevronDownIcon, ChevronRightIcon, LightningBoltIcon } from '@radix-ui/react-icons'
import type { ChatPart } from 'portico/web-api'
import { useState } from 'react'
import { useQuestion } from '../app/data/question-store.ts'
import { toDuration, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { QuestionInPlace } from '../inbox/question-card.tsx'
import { JsonView } from '../parts/json-view.tsx'
import { ToolResultView } from '../parts/result-view.tsx'
import { cutText } from '../parts/text-safety.ts'
import classes from './tool-card.module.css'

type ToolPart = Extract<ChatPart, { readonly kind: 'tool' }>

const LOOKS = {
  waiting: { tone: 'warn', word: 'Waits for you' },
  running: { tone: 'busy', word: 'Running' },
  ok: { tone: 'good', word: 'Done' },
  error: { tone: 'bad', word: 'Failed' },
  denied: { tone: 'bad', word: 'Denied' },
  cancelled: { tone: 'calm', word: 'Cancelled' },
  task: { tone: 'busy', word: 'Runs as a task' },
} as const

interface ToolCardProps {
  readonly part: ToolPart
  /** Its result is shown without a click. */
  readonly startsOpen?: boolean
}

export function ToolCard({ part, startsOpen = false }: ToolCardProps) {
  const { name, server, status, durationMs, reason, result, progress } = part
  const question = useQuestion(part.question)
  const [opened, setOpened] = useState<boolean>()
  const isWaiting = status === 'waiting'
  /** The arguments are part of it, whole. */
  const asked = isWaiting ? question : undefined
  const isOpen = opened ?? (isWaiting || (startsOpen && result !== undefined))
  const look = LOOKS[status]
  return (
    <article
      className={classes.card}
      data-status={status}
      aria-label={`Tool call: ${toVisible(name)} of ${toVisible(server)}`}
    >
      <UnstyledButton className={classes.head} aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        {isOpen ? <ChevronDownIcon aria-hidden="true" /> : <ChevronRightIcon aria-hidden="true" />}
        <span className={classes.emblem} aria-hidden="true">
          <LightningBoltIcon />
        </span>
        <span className={classes.name}>{toVisible(name)}</span>
        <span className={classes.server}>{toVisible(server)}</span>
        {!isOpen && <span className={classes.summary}>{summaryOf(part)}</span>}
        <span className={classes.right}>
          {durationMs !== undefined && <span className={classes.time}>{toDuration(durationMs)}</span>}
          <Chip tone={look.tone}>{look.word}</Chip>
        </span>
      </UnstyledButton>
      {status === 'running' && <ToolProgress progress={progress} />}
      {isOpen && (
        <Stack gap="sm" className={classes.body}>
          {asked === undefined && <JsonView value={part.arguments} label="Arguments" open={3} />}
          {reason !== undefined && asked === undefined && <span className={classes.reason}>{toVisible(reason)}</span>}
          {asked !== undefined && <QuestionInPlace question={asked} />}
          {isWaiting && asked === undefined && <Note tone="busy" title="Already answered. Waiting for the program." />}
          {part.task !== undefined && (
            <Anchor href={`#/tasks?id=${encodeURIComponent(part.task)}`}>
              Task {part.task}: its result comes to this conversation later
            </Anchor>
          )}
          {result !== undefined && <ToolResultView result={result} />}
        </Stack>
      )}
    </article>
  )
}

function ToolProgress({ progress }: { readonly progress: ToolPart['progress'] }) {
  const isKnown = progress?.total !== undefined && progress.total > 0
  const part = isKnown ? Math.min(100, (progress.progress / (progress.total ?? 1)) * 100) : 100
  return (
    <div className={classes.progress}>
      <Progress value={part} size={4} animated={!isKnown} striped={!isKnown} aria-label="Progress of the call" />
      {progress?.message !== undefined && (
        <span className={classes.reason}>{toVisible(cutText(progress.message, 200).text)}</span>
      )}
    </div>
  )
}

/** The arguments in a few words. */
function summaryOf({ arguments: args }: ToolPart): string {
  const words = Object.entries(args).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `${name}: ${cutText(text ?? '', 60).text}`
  })
  return toVisible(cutText(words.join(' · '), 160).text).replaceAll('\n', ' ')
}
