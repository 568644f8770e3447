/**
 * Budgets for tool results: what has more bytes than a model can take is never cut. An array is sent up to the last whole
 * item that fits, with a link to the rest; anything else is kept as a resource and linked, with words that tell the
 * model what to do. Sits around `tools/call` as the outermost middleware; what to send instead is `overflow.ts`, the
 * keeping `budget-store.ts`.
 */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { onDemand } from '../../jsonrpc/on-demand.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import { randomToken } from '../../session/random-token.ts'
import type { MethodName, Middleware } from '../call/middleware.ts'
import type { Feature, FeatureDefinition } from '../feature.ts'
import { RESOURCES, type TemplateEntry } from '../features/resources.ts'
import { TOOLS } from '../features/tools.ts'
import type { SpillOptions, SpillStore } from './budget-store.ts'
import { bytesOf } from './bytes.ts'

/** What budgets need of the server around them. */
interface BudgetHost {
  readonly features: { of<Made extends Feature>(definition: FeatureDefinition<Made>): Made }
  use(method: string, middleware: Middleware<MethodName>): void
}

const SMALLEST_BUDGET = 4096

export function addBudget(host: BudgetHost, maxResultBytes: number, options: SpillOptions = {}): void {
  if (!Number.isInteger(maxResultBytes) || maxResultBytes < SMALLEST_BUDGET) {
    throw invalidDefinition(`maxResultBytes must be a whole number from ${SMALLEST_BUDGET} on`)
  }
  // Unguessable and different for each server, so that mounted servers do not claim the same URIs.
  const spill: Spill = { prefix: `result://${randomToken(6)}/`, store: undefined }
  const { tools } = host.features.of(TOOLS)
  const entry = toEntry(spill)
  host.features.of(RESOURCES).templates.replace(entry.template.uriTemplate, entry)
  const middleware: Middleware<'tools/call'> = async ({ params, ctx }, next) => {
    const result = await next()
    if (isWithin(result, maxResultBytes)) return result
    const { Overflow, SpillStore } = await loadOverflow()
    spill.store ??= new SpillStore(spill.prefix, options)
    const declared = tools.get(String(params.name))?.output !== undefined
    return new Overflow(spill.store, ctx.principal?.id, result, { maxBytes: maxResultBytes, declared }).toResult()
  }
  // The table keeps each middleware under its own method's name.
  host.use('tools/call', middleware as unknown as Middleware<MethodName>)
}

const loadOverflow = onDemand(() => import('./overflow.ts'))

interface Spill {
  /** What every URI of a kept part starts with. */
  readonly prefix: string
  /** Made for the first result that is kept. */
  store: SpillStore | undefined
}

/** Made by hand, since a server of tools alone has no other use for URI templates. */
function toEntry(spill: Spill): TemplateEntry {
  const { prefix } = spill
  return {
    template: {
      uriTemplate: `${prefix}{id}/{part}`,
      name: 'large-results',
      title: 'Large results',
      description: 'What tools returned beyond the size limit, kept for a while. Links in tool results lead here.',
    },
    uri: {
      literalPrefix: prefix,
      match: (uri) => {
        const [id, part, more] = uri.slice(prefix.length).split('/', 3)
        const own = uri.startsWith(prefix) && id !== undefined && part !== undefined && more === undefined
        return own ? { id, part } : undefined
      },
    },
    access: {},
    cache: { ttlMs: 0, scope: 'private' },
    complete: undefined,
    list: undefined,
    read: (uri, { id, part }, ctx, revision) => {
      const contents = spill.store?.read(String(id), String(part), ctx.principal?.id)
      if (contents === undefined) throw revision.resourceNotFound(uri)
      return { contents }
    },
  }
}

function isWithin(result: CallToolResult, maxBytes: number): boolean {
  if (result.structuredContent === undefined) {
    // An escaped character is six bytes at most, so what is short enough needs no counting.
    let units = 0
    for (const block of result.content) units += 256 + (block.type === 'text' ? block.text.length : Infinity)
    if (units * 6 <= maxBytes) return true
  }
  return bytesOf(JSON.stringify(result)) <= maxBytes
}
