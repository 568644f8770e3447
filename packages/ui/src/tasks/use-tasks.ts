/** All tasks, the newest first, kept up to date by events. */

import type { TaskRow } from 'portico/web-api'
import { useCallback, useEffect, useState } from 'react'
import { type ApiError, call } from '../app/data/api.ts'
import { useApiEvent, useReconnected } from '../app/data/events.ts'
import { toApiError } from '../app/data/use-api.ts'

interface TasksState {
  /** Undefined until they were loaded. */
  readonly tasks: readonly TaskRow[] | undefined
  readonly error: ApiError | undefined
  readonly reload: () => void
}

export function useTasks(): TasksState {
  const [tasks, setTasks] = useState<readonly TaskRow[]>()
  const [error, setError] = useState<ApiError>()
  const reload = useCallback(() => {
    call('tasks.list', {}).then(
      (listed) => {
        setTasks(listed.tasks)
        setError(undefined)
      },
      (failure: unknown) => setError(toApiError(failure)),
    )
  }, [])
  useEffect(reload, [reload])
  useReconnected(reload)
  useApiEvent('task', ({ task }) =>
    setTasks((before = []) => [...before.filter((one) => one.label !== task.label), task]),
  )
  useApiEvent('task-gone', ({ label }) => setTasks((before) => before?.filter((one) => one.label !== label)))
  return { tasks: tasks && [...tasks].sort((one, other) => other.startedAt - one.startedAt), error, reload }
}
