/** Which program is behind the page, and whether it lets this page in. */

import type { AppInfo } from 'portico/web-api'
import { type ApiError, call } from './api.ts'
import { onReconnected, onRefused } from './events.ts'
import { createStore, useStore } from './store.ts'
import { toApiError } from './use-api.ts'

const store = createStore<{ readonly info?: AppInfo; readonly error?: ApiError }>({})

export function useInfo(): AppInfo | undefined {
  return useStore(store).info
}

/** The refusal, where the program wants the link that it printed. */
export function useRefusal(): ApiError | undefined {
  const { error } = useStore(store)
  return error !== undefined && REFUSALS.has(error.code) ? error : undefined
}

async function loadInfo(): Promise<void> {
  try {
    store.set({ info: await call('app.info', {}) })
  } catch (error) {
    store.set((before) => ({ ...before, error: toApiError(error) }))
  }
}

/** Called once, by the shell. */
export function watchInfo(): void {
  onReconnected(() => void loadInfo())
  onRefused(() => void loadInfo())
  void loadInfo()
}

const REFUSALS = new Set(['http-401', 'http-403', 'unauthorized', 'forbidden', 'no-session', 'signed-out'])
