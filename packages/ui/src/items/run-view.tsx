/** A run under way or over: progress, what the server logged, what it asks, and what came of it. */

import { Button, Progress, Stack, UnstyledButton } from '@mantine/core'
import { ChevronDownIcon, ChevronRightIcon, StopIcon } from '@radix-ui/react-icons'
import { useEffect, useRef, useState } from 'react'
import { useQuestions } from '../app/data/question-store.ts'
import { FailureNote } from '../app/feedback.tsx'
import { toCount, toDuration, toVisible } from '../app/text/text.ts'
import { Chip, Note } from '../app/tone.tsx'
import { QuestionInPlace } from '../inbox/question-card.tsx'
import { PromptResultView, ResourceResultView, ToolResultView } from '../parts/result-view.tsx'
import { ScrollBox } from '../parts/scroll-box.tsx'
import { cutText } from '../parts/text-safety.ts'
import { cancelRun, type RunResult, type RunState } from './run-store.ts'
import classes from './run-view.module.css'

const LOOKS = {
  running: { tone: 'busy', word: 'Running' },
  done: { tone: 'good', word: 'Done' },
  failed: { tone: 'bad', word: 'Failed' },
  cancelled: { tone: 'calm', word: 'Cancelled' },
} as const

export function RunView({ state, server }: { readonly state: RunState; readonly server: string }) {
  const { status, run, startedAt, durationMs, progress, logs, answer, error } = state
  const isToolError = answer?.method === 'tools.call' && answer.result.isError === true
  const look = isToolError ? ({ tone: 'bad', word: 'Answered with an error' } as const) : LOOKS[status]
  const section = useRef<HTMLElement>(null)
  const seen = useRef(status === 'running' ? undefined : run)
  useEffect(() => {
    if (seen.current === run) return
    seen.current = run
    section.current?.scrollIntoView({ block: 'nearest' })
  }, [run])
  useEffect(() => {
    // A result that begins below the edge would not be noticed.
    const top = section.current?.getBoundingClientRect().top ?? 0
    if (status !== 'running' && top > window.innerHeight - 200) section.current?.scrollIntoView({ block: 'start' })
  }, [status])
  return (
    <section ref={section} className={classes.run} aria-label="Run">
      <div className={classes.status}>
        <span role="status">
          <Chip tone={look.tone}>{look.word}</Chip>
        </span>
        <span className={classes.time}>
          {durationMs === undefined ? <Elapsed since={startedAt} /> : toDuration(durationMs)}
        </span>
        {status === 'running' && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<StopIcon />}
            onClick={() => void cancelRun(run)}
            className={classes.cancel}
          >
            Cancel
          </Button>
        )}
      </div>
      {status === 'running' && <ProgressView progress={progress} />}
      {status === 'running' && <Asked server={server} since={startedAt} />}
      {logs.length > 0 && <Logs logs={logs} />}
      {error !== undefined && status === 'failed' && <FailureNote error={error} />}
      {status === 'cancelled' && <Note tone="calm" title="It was cancelled; the server has been told." />}
      {answer !== undefined && <AnswerView answer={answer} />}
    </section>
  )
}

export function AnswerView({ answer }: { readonly answer: RunResult }) {
  switch (answer.method) {
    case 'tools.call':
      return <ToolResultView result={answer.result} />
    case 'resources.read':
      return <ResourceResultView result={answer.result} />
    default:
      return <PromptResultView result={answer.result} />
  }
}

function ProgressView({ progress }: { readonly progress: RunState['progress'] }) {
  const isKnown = progress?.total !== undefined && progress.total > 0
  const part = isKnown ? Math.min(100, Math.max(0, (progress.progress / (progress.total ?? 1)) * 100)) : 100
  const count = isKnown ? `${progress.progress} of ${progress.total}` : (progress?.progress ?? '')
  return (
    <Stack gap={4}>
      <Progress
        value={part}
        animated={!isKnown}
        striped={!isKnown}
        size="sm"
        aria-label={isKnown ? 'Progress' : 'Running'}
      />
      {progress !== undefined && (
        <div className={classes.progress}>
          <span>{toVisible(cutText(progress.message ?? '', 300).text)}</span>
          <span className={classes.count}>{count}</span>
        </div>
      )}
    </Stack>
  )
}

/** What came from this server since the run began is most likely about it. */
function Asked({ server, since }: { readonly server: string; readonly since: number }) {
  const { questions = [] } = useQuestions()
  return questions
    .filter((question) => question.server === server && question.createdAt >= since - 1_000)
    .map((question) => <QuestionInPlace key={question.id} question={question} />)
}

function Logs({ logs }: { readonly logs: RunState['logs'] }) {
  const [isOpen, setOpen] = useState(false)
  const last = logs.at(-1)
  return (
    <div className={classes.logs}>
      <UnstyledButton className={classes.logsHead} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? <ChevronDownIcon aria-hidden="true" /> : <ChevronRightIcon aria-hidden="true" />}
        {toCount(logs.length, 'log line')}
        {!isOpen && last !== undefined && (
          <span className={classes.lastLog}>{toVisible(cutText(last.text, 160).text)}</span>
        )}
      </UnstyledButton>
      {isOpen && (
        <ScrollBox label="Log" className={classes.lines}>
          {logs.map(({ level, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name
            <div key={index} className={classes.line} data-level={level}>
              <span className={classes.level}>{toVisible(level)}</span>
              {toVisible(cutText(text, 2_000).text)}
            </div>
          ))}
        </ScrollBox>
      )}
    </div>
  )
}

function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return toDuration(Math.max(0, now - since))
}
