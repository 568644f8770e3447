/** Whether traffic is being recorded, wherever on the page that is shown. */

import { call } from '../app/api.ts'
import { createStore, useStore } from '../app/store.ts'
import { showDone, showFailure, toApiError } from '../app/use-api.ts'

export interface RecordingState {
  readonly isOn: boolean
  readonly isBusy: boolean
  readonly since?: number
}

const store = createStore<RecordingState>({ isOn: false, isBusy: false })

export function useRecording(): RecordingState {
  return useStore(store)
}

export async function setRecording(on: boolean): Promise<void> {
  store.set((before) => ({ ...before, isBusy: true }))
  try {
    const { recording, file, messages = 0 } = await call('timeline.record', { on })
    store.set({ isOn: recording, isBusy: false, ...(recording && { since: Date.now() }) })
    if (!on && file !== undefined) showDone(`${messages} messages recorded`, file)
  } catch (error) {
    store.set((before) => ({ ...before, isBusy: false }))
    showFailure(toApiError(error))
  }
}
