/** What happens in the host, told to open pages: questions, servers, tasks, messages on the wire. */

import { ServerUpdates } from './servers/server-updates.ts'
import { toShown } from './shown-question.ts'
import { toTaskRow } from './task-row.ts'
import type { WorkbenchServices } from './workbench-services.ts'

const TIMELINE_MS = 250

/** `isWatched`: whether any page is open. */
export function forwardEvents(services: WorkbenchServices, isWatched: () => boolean): { close(): void } {
  const { host, emit } = services
  const servers = new ServerUpdates({ host, cards: services.cards, emit, isWatched })
  const stops = [
    forwardQuestions(services),
    forwardMessages(services, isWatched),
    host.on('task', (task) => emit({ type: 'task', task: toTaskRow(task) })),
  ]
  return {
    close() {
      servers.close()
      for (const stop of stops) stop()
    },
  }
}

function forwardQuestions({ host, emit }: WorkbenchServices): () => void {
  return host.inbox.on((event) => {
    const { question } = event
    if (event.type !== 'asked') emit({ type: 'question-gone', id: question.id })
    // What was answered in the same moment needs nobody's attention.
    else if (host.inbox.pending().some(({ id }) => id === question.id))
      emit({ type: 'question', question: toShown(question) })
  })
}

/** A flood of messages is one event in a while: pages ask for the rows that they show. */
function forwardMessages(
  { host, messages, recordings, emit }: WorkbenchServices,
  isWatched: () => boolean,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tellSoon = (): void => {
    if (timer !== undefined || !isWatched()) return
    timer = setTimeout(() => {
      timer = undefined
      emit({ type: 'timeline', total: messages.total, newest: messages.newest })
    }, TIMELINE_MS)
  }
  const stops = [
    host.upstreams.on('message', (message) => {
      if (recordings.recording) recordings.add(message)
      tellSoon()
    }),
    host.upstreams.on('lost', tellSoon),
  ]
  return () => {
    for (const stop of stops) stop()
    clearTimeout(timer)
  }
}
