/**
 * The host's hands for one conversation: the tools it may use, shown as they are or behind a search when there are too
 * many, and calls that pass the guard as the model's doing.
 */

import type { Hands } from '../model/hands.ts'
import type { OfferedTool } from '../model/step.ts'
import type { Catalogue } from '../upstream/catalogue.ts'
import type { CatalogueItem } from '../upstream/item.ts'
import { searchTools } from '../upstream/search-tools.ts'
import type { Upstreams } from '../upstream/upstreams.ts'
import type { Acts } from './acts.ts'
import { type ConverseOptions, DEFAULT_MAX_TOOLS } from './options.ts'

export interface HandsParts {
  readonly acts: Acts
  readonly catalogue: Catalogue
  readonly upstreams: Upstreams
  readonly maxTools?: number
}

export function createHands(parts: HandsParts, { session, tools }: ConverseOptions): Hands {
  const { acts, catalogue, upstreams, maxTools = DEFAULT_MAX_TOOLS } = parts
  const search = searchTools(catalogue)
  const chosen = tools === undefined ? undefined : new Set(tools)
  const offered = (): CatalogueItem[] =>
    catalogue.items(['tool']).filter((item) => item.quarantine === undefined && (chosen?.has(item.name) ?? true))
  return {
    ready: (signal) => catalogue.gather(signal),
    tools: () => {
      const items = offered()
      return items.length > maxTools ? search.definitions.map(toOffer) : items.map(toTool)
    },
    serverOf: (name) => catalogue.find(name, 'tool')?.server ?? 'portico',
    instructions: () =>
      upstreams.views().flatMap(({ name, state, instructions }) => {
        return state.state === 'ready' && instructions !== undefined ? [{ server: name, text: instructions }] : []
      }),
    async call({ name, arguments: args, ...options }) {
      const use = search.use(name, args)
      if (use?.kind === 'answer')
        return {
          result: use.result,
          server: 'portico',
          arguments: args,
          reason: 'Searching the catalogue touches no server',
        }
      const act = use?.kind === 'call' ? use : { name, arguments: args }
      // Whatever a model decides may have been put into its mouth by text that a server sent.
      return acts.call(act.name, act.arguments, { ...options, session, byModel: true })
    },
  }
}

function toTool(item: CatalogueItem): OfferedTool {
  // Only tools were asked for.
  const { description, inputSchema } = item.definition as CatalogueItem['definition'] & OfferedTool
  return { name: item.name, description, inputSchema }
}

function toOffer({ name, description, inputSchema }: OfferedTool): OfferedTool {
  return { name, description, inputSchema }
}
