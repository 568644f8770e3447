/** Tasks in words: where one stands, and which kind of task it is on the wire. */

import type { TaskRow } from 'portico/web-api'
import type { ToneName } from '../theme.ts'

interface Look {
  readonly tone: ToneName
  readonly word: string
}

const LOOKS: { readonly [status in TaskRow['status']]: Look } = {
  working: { tone: 'busy', word: 'Working' },
  input_required: { tone: 'warn', word: 'Waits for input' },
  completed: { tone: 'good', word: 'Done' },
  failed: { tone: 'bad', word: 'Failed' },
  cancelled: { tone: 'calm', word: 'Cancelled' },
}

export function lookOf({ status }: Pick<TaskRow, 'status'>): Look {
  return LOOKS[status]
}

export function isRunning({ status }: Pick<TaskRow, 'status'>): boolean {
  return status === 'working' || status === 'input_required'
}

/** As the revision that has it calls it. */
export function generationOf({ generation }: Pick<TaskRow, 'generation'>): string {
  return generation === 'core' ? '2025-11-25 tasks' : '2026-07-28 tasks extension'
}
