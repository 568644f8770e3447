/** What lies below a folder that is moved as a whole: names that are never moved by themselves are told before. */

import { lstat } from 'node:fs/promises'
import { type AskingContext, ToolError } from '@portico/sdk/server'
import { requireConfirmation } from '../../confirmation.ts'
import { spellHidden, spellLine } from '../../text/plain-text.ts'
import type { Reached } from '../confine.ts'
import type { FilesHost } from '../host.ts'
import { Walk } from '../walk.ts'

const MAX_DEPTH = 64
const MAX_NAMED = 100

/** Asks before an entry goes elsewhere with all that is in it; what it holds of the list "deny" is in the question. */
export async function askToTake(
  host: FilesHost,
  ctx: AskingContext,
  reached: Reached,
  question: string,
): Promise<void> {
  const held = await heldBy(host, reached, ctx.signal)
  if (held.length > 0 && ctx.client.capabilities.elicitation === undefined) {
    throw new ToolError(
      `${spellHidden(reached.path)} holds ${held.map(spellHidden).join(', ')}, by names on the list of the option "deny": it goes elsewhere only if the user agrees, and nobody can be asked. Nothing was done.`,
    )
  }
  const shown = held.length === 0 ? '' : `It takes along what is on the list of the option "deny":\n${held.join('\n')}`
  await requireConfirmation(ctx, spellLine(question), host.settings.allowUnasked, spellHidden(shown))
}

async function heldBy(host: FilesHost, { path, directory }: Reached, signal: AbortSignal): Promise<string[]> {
  if (!(await lstat(path)).isDirectory()) return []
  const { maxEntries } = host.settings
  const walk = new Walk(directory, path, { maxDepth: MAX_DEPTH, maxEntries, ignore: false, signal })
  const held: string[] = []
  for await (const entry of walk.entries()) {
    // What is in a folder of the list is on it as well: the folder says enough.
    if (held.some((name) => entry.relative.startsWith(`${name}/`))) continue
    if (host.confinement.isDenied(directory, entry.path)) held.push(entry.relative)
    if (held.length < MAX_NAMED) continue
    held.push('and more')
    return held
  }
  if (!walk.complete) held.push('more than could be looked at (option "maxEntries")')
  return held
}
