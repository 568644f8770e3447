/** A question that comes up while another screen is open shows itself, with buttons where one word is enough. */

import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect, useRef } from 'react'
import { answerQuestion, type Question, useClaimedQuestions, useQuestions } from '../app/data/question-store.ts'
import { go } from '../app/route.ts'
import { toVisible } from '../app/text/text.ts'
import { isQuick, wordsOf } from './question-words.ts'

/** More than these at once are told by the badge alone. */
const MAX_SHOWN = 3
const NOTICE_MS = 15_000

/** `quiet` while the inbox itself is open. */
export function QuestionNotices({ quiet }: { readonly quiet: boolean }) {
  const { questions } = useQuestions()
  const claimed = useClaimedQuestions()
  const shown = useRef(new Set<string>())
  /** What was waiting when the page was opened is told by the badge; only what is new speaks up. */
  const known = useRef<Set<string>>(undefined)
  useEffect(() => {
    if (questions === undefined) return
    known.current ??= new Set(questions.map(({ id }) => id))
    const old = known.current
    const wanted = quiet ? [] : questions.filter(({ id }) => !old.has(id) && !claimed.has(id)).slice(0, MAX_SHOWN)
    for (const id of shown.current) {
      if (wanted.some((question) => question.id === id)) continue
      notifications.hide(id)
      shown.current.delete(id)
    }
    for (const question of wanted) {
      if (shown.current.has(question.id)) continue
      shown.current.add(question.id)
      show(question, () => old.add(question.id))
    }
    // Seen in the inbox is seen.
    if (quiet) for (const { id } of questions) old.add(id)
  }, [questions, claimed, quiet])
  return null
}

function show(question: Question, onClosed: () => void): void {
  const { id, server, body } = question
  const { kind, title } = wordsOf(question)
  const reason = body.kind === 'approval' ? body.reason : 'message' in body ? body.message : undefined
  notifications.show({
    id,
    withBorder: true,
    // The badge and the card go on telling; what covers the page goes.
    autoClose: NOTICE_MS,
    color: body.kind === 'approval' && body.warnings.length > 0 ? 'yellow' : 'ink',
    title,
    onClose: onClosed,
    closeButtonProps: { 'aria-label': 'Close; the question stays in the inbox' },
    message: (
      <>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {kind} · {toVisible(server)}
          {reason !== undefined && ` · ${toVisible(reason)}`}
        </Text>
        <Group gap="xs" mt="xs">
          {isQuick(question) && (
            <Button size="compact-sm" onClick={() => void answerQuestion(id, { action: 'allow', remember: 'once' })}>
              Allow
            </Button>
          )}
          <Button
            size="compact-sm"
            variant={isQuick(question) ? 'default' : 'filled'}
            onClick={() => go('/inbox', { id })}
          >
            Review
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            onClick={() => void answerQuestion(id, { action: 'deny' })}
          >
            Deny
          </Button>
        </Group>
      </>
    ),
  })
}
