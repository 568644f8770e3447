/** Requests as components need them: one that loads what a screen shows, one that does what a button says. */

import { notifications } from '@mantine/notifications'
import type { ApiMethod, ApiParams, ApiResult } from 'portico/web-api'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, call } from './api.ts'
import { useReconnected } from './events.ts'

export interface Loaded<T> {
  /** Kept while it is loaded again, so that nothing jumps. */
  readonly data: T | undefined
  readonly error: ApiError | undefined
  readonly loading: boolean
  readonly reload: () => void
}

/** Loads when shown, when `params` change, and when the program is back. `undefined` params wait. */
export function useApi<M extends ApiMethod>(method: M, params: ApiParams<M> | undefined): Loaded<ApiResult<M>> {
  const [state, setState] = useState<Omit<Loaded<ApiResult<M>>, 'reload'>>(NOTHING)
  const [turn, setTurn] = useState(0)
  const key = params === undefined ? undefined : JSON.stringify(params)
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useReconnected(reload)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` is how a reload is asked for
  useEffect(() => {
    if (key === undefined) return
    const abort = new AbortController()
    setState((before) => ({ ...before, loading: true }))
    // The text was made from these params just above.
    call(method, JSON.parse(key) as ApiParams<M>, abort.signal).then(
      (data) => setState({ data, error: undefined, loading: false }),
      (error: unknown) => {
        if (!abort.signal.aborted) setState((before) => ({ ...before, error: toApiError(error), loading: false }))
      },
    )
    return () => abort.abort()
  }, [method, key, turn])
  return { ...state, reload }
}

const NOTHING = { data: undefined, error: undefined, loading: true } as const

interface Action<M extends ApiMethod> {
  /** Undefined when it was refused, which has been said by then. */
  readonly run: (params: ApiParams<M>) => Promise<ApiResult<M> | undefined>
  readonly busy: boolean
}

/** Does something; a refusal is shown as a notification unless `onError` takes it. */
export function useAction<M extends ApiMethod>(method: M, onError: (error: ApiError) => void = showFailure): Action<M> {
  const [pending, setPending] = useState(0)
  const failed = useRef(onError)
  failed.current = onError
  const run = useCallback(
    async (params: ApiParams<M>) => {
      setPending((count) => count + 1)
      try {
        return await call(method, params)
      } catch (error) {
        failed.current(toApiError(error))
        return undefined
      } finally {
        setPending((count) => count - 1)
      }
    },
    [method],
  )
  return { run, busy: pending > 0 }
}

export function showFailure(error: ApiError): void {
  notifications.show({ color: 'red', title: error.message, message: error.remedy ?? '', withBorder: true })
}

export function showDone(title: string, message = ''): void {
  notifications.show({ color: 'green', title, message, withBorder: true, autoClose: 3_500 })
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError({ code: 'page', message: error instanceof Error ? error.message : String(error) })
}
