/** `portico start`, and `portico` by itself: the workbench. One that runs already is opened instead of a second. */

import { stateOf } from '../host-places.ts'
import { readPort } from '../parse/blocked-ports.ts'
import type { CommandInput } from '../parse/command.ts'
import { WORKBENCH_PORT } from '../parse/default-ports.ts'
import type { Io } from '../terminal/io.ts'
import { startName } from '../terminal/reader.ts'
import { leaveSoon, stayUntil } from '../terminal/stay-until.ts'
import { openWorkbench, showPage } from '../workbench.ts'

export async function run({ flags, json }: CommandInput, io: Io): Promise<number> {
  const open = typeof flags.open === 'boolean' ? flags.open : io.interactive
  const show = async (url: string, words: string): Promise<void> => {
    io.out(json ? JSON.stringify({ url, pid: process.pid }) : url)
    io.say(words)
    await showPage(url, open, io)
  }
  if (flags.port === undefined && flags.config === undefined) {
    const { requestLink } = await import('../../web/running-workbench.ts')
    const link = await requestLink(stateOf(io))
    if (link !== undefined) {
      await show(link, 'The workbench runs already; this link opens it once more.')
      return 0
    }
  }
  const workbench = await openWorkbench(io, {
    ...(flags.port === undefined ? { preferredPort: WORKBENCH_PORT } : { port: readPort('port', flags.port, 'start') }),
    ...(typeof flags.config === 'string' && { configFile: flags.config }),
  })
  try {
    if (flags.port === undefined) await tellOtherPort(workbench.origin, io)
    await show(workbench.url, `The link works once; \`${startName(io.env)}\` gives another. Ctrl-C ends the workbench.`)
    await stayUntil(io.signal)
  } finally {
    await workbench.close()
    leaveSoon()
  }
  return 0
}

/** The usual port is somebody else's: pages that are still open do not find the workbench again, and their reader knows why. */
async function tellOtherPort(origin: string, io: Io): Promise<void> {
  const { port } = new URL(origin)
  if (port === String(WORKBENCH_PORT)) return
  const { describeOwner } = await import('../terminal/listening.ts')
  io.say(
    `${io.paint.yellow('note')}: port ${WORKBENCH_PORT} is in use ${await describeOwner(WORKBENCH_PORT)}; the workbench is on port ${port} now.`,
  )
}
