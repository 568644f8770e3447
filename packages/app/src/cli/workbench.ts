/** The workbench as commands open it: with the folder one is in, and with a server in process where there is one. */

import { defineServer } from '@portico/host/config'
import type { Server } from '@portico/sdk/server'
import { startWorkbench, type Workbench, type WorkbenchOptions } from '../web/workbench.ts'
import { secretsOf } from './own-secrets.ts'
import type { Io } from './terminal/io.ts'

export function openWorkbench(io: Io, options: WorkbenchOptions = {}): Promise<Workbench> {
  return startWorkbench({
    workspace: io.cwd,
    env: io.env,
    hostOptions: { secrets: secretsOf(io) },
    onWarning: (message) => io.say(`${io.paint.yellow('warning')}: ${message}`),
    ...options,
  })
}

/** With a server that is being written: its definitions may change without an approval each time. */
export function openWorkbenchWith(server: Server, io: Io): Promise<Workbench> {
  const { name } = server.info
  return openWorkbench(io, {
    servers: [defineServer(name, { kind: 'in-process', module: `dev:${name}`, options: {} }, { trusted: true })],
    inProcess: new Map([[`dev:${name}`, async () => ({ server })]]),
  })
}

/** Where a person looks, the page is opened for them; the link is printed in any case. */
export async function showPage(url: string, open: boolean, io: Io): Promise<void> {
  if (!open) return
  const { openBrowser } = await import('@portico/sdk/auth-node')
  if (!(await openBrowser(new URL(url)).catch(() => false)))
    io.say('No browser could be opened: open the link yourself.')
}
