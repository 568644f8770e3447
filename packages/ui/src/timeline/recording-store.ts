/** Whether traffic is being recorded, wherever on the page that is shown. */

import { useEffect } from 'react'
import { call } from '../app/data/api.ts'
import { onReconnected } from '../app/data/events.ts'
import { createStore, useStore } from '../app/data/store.ts'
import { showDone, showFailure, toApiError } from '../app/data/use-api.ts'
import { toCount } from '../app/text/text.ts'

interface RecordingState {
  readonly isOn: boolean
  readonly isBusy: boolean
}

const store = createStore<RecordingState>({ isOn: false, isBusy: false })

export function useRecording(): RecordingState {
  // It may have been begun before this page was loaded, or on another one.
  useEffect(() => void loadRecording(), [])
  return useStore(store)
}

async function loadRecording(): Promise<void> {
  try {
    const { recording } = await call('timeline.recordings', {})
    store.set((before) => (before.isBusy ? before : { isOn: recording !== undefined, isBusy: false }))
  } catch {
    // Whoever presses the button is told.
  }
}

onReconnected(() => void loadRecording())

export async function setRecording(on: boolean): Promise<void> {
  store.set((before) => ({ ...before, isBusy: true }))
  try {
    const { recording, file, messages = 0 } = await call('timeline.record', { on })
    store.set({ isOn: recording, isBusy: false })
    if (!on && file !== undefined) showDone(`${toCount(messages, 'message')} recorded`, file)
  } catch (error) {
    store.set((before) => ({ ...before, isBusy: false }))
    showFailure(toApiError(error))
  }
}
