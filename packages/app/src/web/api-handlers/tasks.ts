/** `tasks.*`: the tasks of the host, looked at, waited for and ended by hand. */

import { createByHand } from '../answer-by-hand.ts'
import { readParams, text } from '../http/params.ts'
import { toTaskRow } from '../task-row.ts'
import type { HandlersOf, WorkbenchServices } from '../workbench-services.ts'

export function taskHandlers({ host, emit }: WorkbenchServices): HandlersOf<'tasks.'> {
  const labelIn = (params: unknown): string => readParams(params, { label: text }).label
  return {
    'tasks.list': async () => ({ tasks: (await host.tasks.list()).map(toTaskRow) }),
    'tasks.result': async (params, signal) => {
      const onWaiting = createByHand(host.inbox)
      const { result } = await host.tasks.result(labelIn(params), { session: 'workbench', signal, onWaiting })
      return { result }
    },
    'tasks.cancel': async (params) => {
      await host.tasks.cancel(labelIn(params))
      return {}
    },
    'tasks.forget': async (params) => {
      const label = labelIn(params)
      await host.tasks.forget(label)
      emit({ type: 'task-gone', label })
      return {}
    },
  }
}
