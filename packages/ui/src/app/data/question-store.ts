/**
 * What waits for an answer, wherever on the page it is shown: the inbox, the badge in the navigation, notifications, and
 * a chat that waits for an approval. Oldest first.
 */

import type { ApiParams, ApiResult } from 'portico/web-api'
import { useEffect } from 'react'
import { type ApiError, call } from './api.ts'
import { onApiEvent, onReconnected } from './events.ts'
import { createStore, useStore } from './store.ts'
import { showFailure, toApiError } from './use-api.ts'

export type Question = ApiResult<'inbox.list'>['questions'][number]
export type Answer = ApiParams<'inbox.answer'>['answer']

interface QuestionState {
  /** Undefined until they were loaded. */
  readonly questions: readonly Question[] | undefined
  readonly error: ApiError | undefined
}

const store = createStore<QuestionState>({ questions: undefined, error: undefined })
/** Questions that another part of the page already shows; no notification is needed for them. */
const claimed = createStore<ReadonlySet<string>>(new Set())

export function useQuestions(): QuestionState {
  return useStore(store)
}

export function useQuestion(id: string | undefined): Question | undefined {
  return useStore(store).questions?.find((question) => question.id === id)
}

export function useClaimedQuestions(): ReadonlySet<string> {
  return useStore(claimed)
}

/** While the component is on the page, it is the one that shows this question. */
export function useClaim(id: string | undefined): void {
  useEffect(() => {
    if (id === undefined) return
    claimed.set((before) => new Set(before).add(id))
    return () => claimed.set((before) => new Set([...before].filter((other) => other !== id)))
  }, [id])
}

const sending = new Map<string, Promise<boolean>>()

/**
 * True once the program has taken the answer; a refusal has been shown by then. A question is answered once, however
 * often somebody presses: what is pressed while an answer is on its way changes nothing.
 */
export function answerQuestion(id: string, answer: Answer): Promise<boolean> {
  const sent = sending.get(id) ?? sendAnswer(id, answer).finally(() => sending.delete(id))
  sending.set(id, sent)
  return sent
}

async function sendAnswer(id: string, answer: Answer): Promise<boolean> {
  try {
    await call('inbox.answer', { id, answer: { ...answer, by: 'workbench' } })
    forget(id)
    return true
  } catch (error) {
    showFailure(toApiError(error))
    void loadQuestions()
    return false
  }
}

export async function loadQuestions(): Promise<void> {
  try {
    const { questions } = await call('inbox.list', {})
    store.set({ questions: [...questions].sort((a, b) => a.createdAt - b.createdAt), error: undefined })
  } catch (error) {
    store.set((before) => ({ ...before, error: toApiError(error) }))
  }
}

/** Called once, by the shell. */
export function watchQuestions(): void {
  onApiEvent('question', ({ question }) => {
    store.set((before) => {
      const others = (before.questions ?? []).filter(({ id }) => id !== question.id)
      return { ...before, questions: [...others, question] }
    })
  })
  onApiEvent('question-gone', ({ id }) => forget(id))
  onReconnected(() => void loadQuestions())
  void loadQuestions()
}

function forget(id: string): void {
  store.set((before) => ({ ...before, questions: before.questions?.filter((question) => question.id !== id) }))
}
