/** The caller of this suite: asks for work, notes what it was told, and follows or cancels it. */

import type { Client } from '@portico/sdk/client'
import type { Point } from './kill-points.ts'
import type { Ledger } from './kill-server.ts'

export async function callAndFollow(client: Client, tool: string, point: Point, ledger: Ledger): Promise<void> {
  const run = await client.startTool(tool, point.expires ? { hangs: true } : {})
  const taskId = run.task?.taskId ?? ''
  ledger.note({ acknowledged: taskId })
  if (!point.cancels) return void (await run.result())
  const result = run.result()
  result.catch(() => {})
  while (!ledger.read().some(({ step }) => step === 'second')) await Promise.race([result, pause()])
  await run.cancel()
  ledger.note({ cancelled: taskId })
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}
