/** Every server as its card shows it, kept up to date by events; shared by the servers screen, the shell and the palette. */

import type { ApiResult } from 'portico/web-api'
import { type ApiError, call } from './api.ts'
import { onApiEvent, onReconnected } from './events.ts'
import { createStore, useStore } from './store.ts'
import { toApiError } from './use-api.ts'

type Listed = ApiResult<'servers.list'>

interface ServerState {
  /** Undefined until they were loaded. In the order of the configuration. */
  readonly servers: Listed['servers'] | undefined
  readonly problems: Listed['problems']
  readonly error: ApiError | undefined
}

const store = createStore<ServerState>({ servers: undefined, problems: [], error: undefined })

export function useServers(): ServerState {
  return useStore(store)
}

export async function loadServers(): Promise<void> {
  try {
    const { servers, problems } = await call('servers.list', {})
    store.set({ servers, problems, error: undefined })
  } catch (error) {
    store.set((before) => ({ ...before, error: toApiError(error) }))
  }
}

/** Called once, by the shell. */
export function watchServers(): void {
  onApiEvent('server', ({ server }) => {
    store.set((before) => {
      const servers = before.servers ?? []
      const isKnown = servers.some(({ name }) => name === server.name)
      const next = isKnown ? servers.map((one) => (one.name === server.name ? server : one)) : [...servers, server]
      return { ...before, servers: next }
    })
  })
  onApiEvent('server-removed', ({ server }) => {
    store.set((before) => ({ ...before, servers: before.servers?.filter(({ name }) => name !== server) }))
  })
  onApiEvent('problems', ({ problems }) => store.set((before) => ({ ...before, problems })))
  onReconnected(() => void loadServers())
  void loadServers()
}
