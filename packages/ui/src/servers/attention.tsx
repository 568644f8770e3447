/** Above the cards: what is wrong with the configuration, and project files that wait to be trusted. */

import { Button, Stack } from '@mantine/core'
import type { ApiResult } from 'portico/web-api'
import { useState } from 'react'
import { answerQuestion, type Question, useQuestions } from '../app/data/question-store.ts'
import { go } from '../app/route.ts'
import { toCount, toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import classes from './servers.module.css'

type Problem = ApiResult<'servers.list'>['problems'][number]

const FEW = 2

export function Attention({ problems }: { readonly problems: readonly Problem[] }) {
  const { questions = [] } = useQuestions()
  const trust = questions.filter(({ body }) => body.kind === 'trust')
  const [all, setAll] = useState(false)
  if (problems.length === 0 && trust.length === 0) return null
  const shown = all ? problems : problems.slice(0, FEW)
  return (
    <Stack gap="xs" mb="md">
      {trust.map((question) => (
        <TrustNote key={question.id} question={question} />
      ))}
      {shown.map((problem) => (
        <ProblemNote key={`${problem.place.file} ${problem.place.path} ${problem.message}`} problem={problem} />
      ))}
      {problems.length > FEW && (
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => setAll(!all)} aria-expanded={all}>
          {all ? 'Show fewer' : `Show all ${toCount(problems.length, 'problem')}`}
        </Button>
      )}
    </Stack>
  )
}

export function ProblemNote({ problem }: { readonly problem: Problem }) {
  const { severity, place, message, remedy } = problem
  return (
    <Note tone={severity === 'error' ? 'bad' : 'warn'} title={toVisible(message)}>
      {toVisible(remedy)}
      <div className={classes.place}>
        {toVisible(place.file)}
        {place.line !== undefined && `:${place.line}`}
        {place.path !== '' && ` · ${toVisible(place.path)}`}
      </div>
    </Note>
  )
}

function TrustNote({ question: { id, body } }: { readonly question: Question }) {
  if (body.kind !== 'trust') return null
  return (
    <Note
      tone="warn"
      title={`A project file wants to add ${toCount(body.servers.length, 'server')}: ${toVisible(body.servers.join(', '))}`}
      actions={
        <>
          <Button size="compact-sm" variant="default" onClick={() => void answerQuestion(id, { action: 'deny' })}>
            Deny
          </Button>
          <Button size="compact-sm" onClick={() => go('/inbox', { id })}>
            Review
          </Button>
        </>
      }
    >
      Nothing in it runs until you allow it.
      <div className={classes.place}>{toVisible(body.file)}</div>
    </Note>
  )
}
