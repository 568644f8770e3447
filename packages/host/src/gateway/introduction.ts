/**
 * What callers are told about the servers behind the gateway when they connect. Before a single server the gateway passes
 * on what that says of itself; of several, their instructions, each as a quotation under its server's name.
 */

import type { Introduction } from '@portico/sdk/relay'
import type { RequestContext } from '@portico/sdk/server'
import type { GatewayCatalogue } from './gateway-host.ts'

/** Characters of the instructions of several servers together. */
const MAX_INSTRUCTIONS = 32_000
/** How long a connection waits for servers that are just starting. */
const STARTING_MS = 2_000

/** `servers` are those that the caller sees, asked for once those that are just starting had a moment. */
export async function introduce(
  catalogue: GatewayCatalogue,
  ctx: RequestContext,
  servers: () => readonly string[],
): Promise<Introduction | undefined> {
  if (catalogue.introduction === undefined) return undefined
  await started(catalogue.starting?.(ctx.signal))
  const known = servers().map((server) => ({ server, ...catalogue.introduction?.(server) }))
  const [only, ...others] = known
  if (only === undefined) return undefined
  if (others.length > 0) {
    const instructions = joined(known)
    return instructions === '' ? {} : { instructions }
  }
  const { instructions, identity: { experimental, ...info } = {} } = only
  return { info, ...(instructions !== undefined && { instructions }), ...(experimental && { experimental }) }
}

/** What does not fit is left out whole: half of a sentence can say the opposite. */
function joined(known: readonly { readonly server: string; readonly instructions?: string }[]): string {
  let text = ''
  for (const { server, instructions } of known) {
    if (instructions === undefined) continue
    const part = `## ${server}\n\n${quoted(instructions)}`
    if (text.length + part.length + 2 <= MAX_INSTRUCTIONS) text += text === '' ? part : `\n\n${part}`
  }
  return text
}

/** As a quotation, line by line: nothing in it, however it is underlined or marked, passes for a heading of ours. */
function quoted(text: string): string {
  return text
    .split(LINE_END)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}

/** Whatever somebody may take for the end of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** Resolves when servers have started, or after a moment: a client that connects does not wait for long. */
async function started(starting: Promise<void> | undefined): Promise<void> {
  if (starting === undefined) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STARTING_MS)
  })
  await Promise.race([starting.catch(() => {}), enough])
  clearTimeout(timer)
}
