/** `portico start`, and `portico` by itself: the workbench. One that runs already is opened instead of a second. */

import { leaveSoon, untilInterrupted } from '../gateway/serving.ts'
import { stateOf } from '../host-places.ts'
import type { CommandInput } from '../parse/command.ts'
import { WORKBENCH_PORT } from '../parse/default-ports.ts'
import type { Io } from '../terminal/io.ts'
import { startName } from '../terminal/reader.ts'
import { openWorkbench, showPage } from '../workbench.ts'

export async function run({ flags, json }: CommandInput, io: Io): Promise<number> {
  const open = typeof flags.open === 'boolean' ? flags.open : io.interactive
  const show = async (url: string, words: string): Promise<void> => {
    io.out(json ? JSON.stringify({ url, pid: process.pid }) : url)
    io.say(words)
    await showPage(url, open, io)
  }
  if (flags.port === undefined && flags.config === undefined) {
    const { requestLink } = await import('../../web/running.ts')
    const link = await requestLink(stateOf(io))
    if (link !== undefined) {
      await show(link, 'The workbench runs already; this link opens it once more.')
      return 0
    }
  }
  const workbench = await openWorkbench(io, {
    ...(typeof flags.port === 'number' ? { port: flags.port } : { preferredPort: WORKBENCH_PORT }),
    ...(typeof flags.config === 'string' && { configFile: flags.config }),
  })
  try {
    await show(workbench.url, `The link works once; \`${startName(io.env)}\` gives another. Ctrl-C ends the workbench.`)
    await untilInterrupted(io)
  } finally {
    await workbench.close()
    leaveSoon()
  }
  return 0
}
