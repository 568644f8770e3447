/** Everything that waits for a person, oldest first, one open at a time. */

import { Chip, Group, Stack, Text } from '@mantine/core'
import { EnvelopeOpenIcon } from '@radix-ui/react-icons'
import { useEffect, useState } from 'react'
import { loadQuestions, type Question, useQuestions } from '../app/data/question-store.ts'
import { Empty, FailureNote, Waiting } from '../app/feedback.tsx'
import { Page } from '../app/page.tsx'
import { go, useRoute } from '../app/route.ts'
import { toCount } from '../app/text/text.ts'
import { QuestionCard } from './question-card.tsx'
import { QuestionRow } from './question-row.tsx'
import { wordsOf } from './question-words.ts'

/** More are told by their number; answering some brings up the next. */
const MAX_ROWS = 200

export function InboxScreen() {
  const { questions, error } = useQuestions()
  const { query } = useRoute()
  const [kind, setKind] = useState<string>()
  const kinds = [...new Set(questions?.map((question) => wordsOf(question).kind))]
  const isKind = (question: Question) => kind === undefined || !kinds.includes(kind) || wordsOf(question).kind === kind
  const shown = questions?.filter(isKind) ?? []
  const opened = shown.find(({ id }) => id === query.get('id')) ?? shown[0]
  const rows = shown.filter((question, at) => at < MAX_ROWS || question === opened)
  const asked = query.get('id') ?? undefined
  const isThere = opened !== undefined && opened.id === asked
  // A link from elsewhere leads to its question, however many wait before it.
  useEffect(() => {
    if (!isThere) return
    document.getElementById(`question-${asked}`)?.closest('article')?.scrollIntoView({ block: 'nearest' })
  }, [asked, isThere])
  return (
    <Page
      title="Inbox"
      narrow
      lead={
        <span aria-live="polite">
          {questions === undefined || questions.length === 0
            ? 'Questions from servers and models that need your answer.'
            : `${toCount(questions.length, 'question waits', 'questions wait')} for you.`}
        </span>
      }
    >
      <Stack gap="sm">
        {error !== undefined && <FailureNote error={error} onRetry={() => void loadQuestions()} />}
        {questions === undefined && error === undefined && <Waiting rows={3} height={96} />}
        {kinds.length > 1 && (
          <Group gap={6} role="group" aria-label="Filter">
            {kinds.map((one) => (
              <Chip key={one} size="xs" checked={kind === one} onChange={(on) => setKind(on ? one : undefined)}>
                {one}
              </Chip>
            ))}
          </Group>
        )}
        {questions?.length === 0 && (
          <Empty icon={<EnvelopeOpenIcon width={22} height={22} />} title="Nothing waits for you">
            Approvals, forms and links of servers, requests for your model and changed definitions appear here. You are
            notified on every screen.
          </Empty>
        )}
        {rows.map((question) =>
          question === opened ? (
            <QuestionCard key={question.id} question={question} />
          ) : (
            <QuestionRow key={question.id} question={question} onOpen={() => go('/inbox', { id: question.id })} />
          ),
        )}
        {rows.length < shown.length && (
          <Text c="dimmed">And {toCount(shown.length - rows.length, 'more question')}.</Text>
        )}
      </Stack>
    </Page>
  )
}
