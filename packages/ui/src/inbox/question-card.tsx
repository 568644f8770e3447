/** One question, open: who asks, what exactly, and the answers. Used by the inbox and wherever else one is shown. */

import { Card } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Ago } from '../app/ago.tsx'
import { answerQuestion, type Question, useClaim } from '../app/data/question-store.ts'
import { toVisible } from '../app/text/text.ts'
import { GatherNotShown } from '../parts/not-shown.tsx'
import { WarningList } from '../servers/command-text.tsx'
import { Approval } from './approval.tsx'
import { ChangedDefinition } from './changed-definition.tsx'
import { FormQuestion } from './form/form-question.tsx'
import classes from './inbox.module.css'
import { LinkQuestion } from './link-question.tsx'
import type { BodyProps } from './question-body.ts'
import { ICONS } from './question-icons.ts'
import { wordsOf } from './question-words.ts'
import { ResultReview } from './result-review.tsx'
import { RootsQuestion } from './roots-question.tsx'
import { SamplingAnswer } from './sampling/sampling-answer.tsx'
import { SamplingRequest } from './sampling/sampling-request.tsx'
import { TrustQuestion } from './trust-question.tsx'

/** Asked by this host, about a server; the others are asked by the server itself. */
const ABOUT: ReadonlySet<string> = new Set(['approval', 'result', 'definition', 'trust', 'roots'])

export function QuestionCard({ question }: { readonly question: Question }) {
  const { id, server, body, createdAt, expiresAt, workspace } = question
  const { kind, title } = wordsOf(question)
  const Icon = ICONS[body.kind]
  useClaim(id)
  return (
    <Card component="article" className={classes.card} aria-labelledby={`question-${id}`}>
      <header className={classes.head}>
        <span className={classes.icon} data-large="true" aria-hidden="true">
          <Icon width={18} height={18} />
        </span>
        <div className={classes.headWords}>
          <h2 id={`question-${id}`} className={classes.title}>
            {title}
          </h2>
          <div className={classes.meta}>
            <span>{kind}</span>
            <span>
              {ABOUT.has(body.kind) ? 'about' : 'asked by'} <strong>{toVisible(server)}</strong>
            </span>
            <Ago at={createdAt} />
            {expiresAt !== undefined && (
              <span>
                expires <Ago at={expiresAt} />
              </span>
            )}
            {workspace !== undefined && (
              <span title={toVisible(workspace)}>workspace {toVisible(folderOf(workspace))}</span>
            )}
          </div>
        </div>
      </header>
      <GatherNotShown key={id}>
        <Body question={question} answer={(answer) => answerQuestion(id, answer)} />
      </GatherNotShown>
    </Card>
  )
}

/** The same question where the work is that waits for it: in a conversation, beside a run. */
export function QuestionInPlace({ question }: { readonly question: Question }) {
  const { id } = question
  const section = useRef<HTMLElement>(null)
  useClaim(id)
  // In a low window it would begin below the edge, and nobody would know that they are asked.
  useEffect(() => {
    const tall = (section.current?.offsetHeight ?? 0) > window.innerHeight
    if (id !== '') section.current?.scrollIntoView({ block: tall ? 'start' : 'nearest' })
  }, [id])
  return (
    // One call may be asked about twice, and nothing that was chosen for the first question is an answer to the second.
    <section key={id} ref={section} className={classes.inPlace} aria-label="Question">
      <strong className={classes.inPlaceTitle}>{wordsOf(question).title}</strong>
      <GatherNotShown>
        <Body question={question} answer={(answer) => answerQuestion(id, answer)} />
      </GatherNotShown>
    </section>
  )
}

/** The last part of a path; the whole of it is in the title. */
function folderOf(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path
}

function Body({ question, answer }: Pick<BodyProps<never>, 'question' | 'answer'>) {
  const { body } = question
  const common = { question, answer }
  switch (body.kind) {
    case 'approval':
      return <Approval {...common} body={body} />
    case 'result':
      return <ResultReview {...common} body={body} />
    case 'sampling':
      return (
        <>
          <WarningList warnings={body.warnings ?? []} />
          <SamplingRequest {...common} body={body} />
        </>
      )
    case 'sampling-answer':
      return <SamplingAnswer {...common} body={body} />
    case 'form':
      return (
        <>
          <WarningList warnings={body.warnings ?? []} />
          <FormQuestion {...common} body={body} />
        </>
      )
    case 'url':
      return <LinkQuestion {...common} body={body} />
    case 'roots':
      return <RootsQuestion {...common} body={body} />
    case 'definition':
      return <ChangedDefinition {...common} body={body} />
    case 'trust':
      return <TrustQuestion {...common} body={body} />
  }
}
