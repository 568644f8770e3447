/**
 * What servers ask while they are talked to directly, without the host: forms and pages, in the terminal. Not offered at
 * all where nobody is there, so that a server knows to do without.
 */

import type { ElicitationHandlers } from '@portico/sdk/client'
import { askForm, type FormSchema } from './form.ts'
import type { Io } from './io.ts'
import { toLine, toPlain } from './plain-text.ts'
import { createTerminal, type Terminal } from './terminal.ts'

export function createElicitation(io: Io, label: string, terminal: Terminal = createTerminal(io)): ElicitationHandlers {
  return {
    form: (params, { signal }) =>
      terminal.dialogue(async () => {
        io.say(`${io.paint.bold(toLine(label, 80))} asks: ${toPlain(params.message)}`)
        io.say(`  ${io.paint.dim('Ctrl-D leaves it, and nothing is sent.')}`)
        const content = await askForm(params.requestedSchema, terminal, io, signal)
        if (content === undefined) return { action: 'cancel' }
        // A yes or no has just been given: it is not asked for twice.
        if (isYesOrNo(params.requestedSchema)) return { action: 'accept', content }
        const go = await terminal.ask('  Send this? [Y/n] (n declines) ', { signal })
        if (go === undefined) return { action: 'cancel' }
        return /^n/i.test(go.trim()) ? { action: 'decline' } : { action: 'accept', content }
      }),
    url: (params, { signal }) =>
      terminal.dialogue(async () => {
        const { inspectUrl } = await import('@portico/host/consent')
        const { url, host, warnings, blocked } = inspectUrl(params.url)
        io.say(`${io.paint.bold(toLine(label, 80))} asks you to open a page: ${toPlain(params.message)}`)
        const accepted = await askToOpen({ url, host, warnings, blocked }, terminal, io, signal)
        return { action: accepted === undefined ? 'cancel' : accepted ? 'accept' : 'decline' }
      }),
  }
}

function isYesOrNo({ properties }: FormSchema): boolean {
  const fields = Object.values(properties)
  return fields.length === 1 && fields[0]?.type === 'boolean'
}

export interface Page {
  readonly url: string
  readonly host: string
  readonly warnings: readonly string[]
  readonly blocked?: boolean
}

/** Shows where a page leads and opens it after a yes; undefined when the person left. */
export async function askToOpen(
  { url, host, warnings, blocked }: Page,
  terminal: Terminal,
  io: Io,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  io.say(`  at ${io.paint.bold(host)}\n  ${url}`)
  for (const warning of warnings) io.say(`  ${io.paint.yellow(`! ${warning}`)}`)
  if (blocked === true) return false
  const answer = await terminal.ask('  Open it in the browser? [y/n] ', { signal })
  if (answer === undefined) return undefined
  if (!/^y/i.test(answer.trim())) return false
  const { openBrowser } = await import('@portico/sdk/auth-node')
  if (!(await openBrowser(new URL(url)).catch(() => false)))
    io.say('  No browser could be opened: open the page yourself.')
  return true
}
