/**
 * The tools that the model of one conversation may use, shown as they are or behind a search when there are too
 * many, and calls that pass the guard as the model's doing. What is not on offer is not called, by whatever name.
 */

import { HostError } from '../../errors.ts'
import type { DefinitionWords } from '../../guard/definition-words.ts'
import type { Provenance } from '../../guard/provenance.ts'
import type { ModelTools } from '../../model/model-tools.ts'
import type { OfferedTool } from '../../model/step.ts'
import type { Catalogue } from '../../upstream/catalogue/catalogue.ts'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'
import { searchTools } from '../../upstream/catalogue/search-tools.ts'
import type { PinStore } from '../../upstream/pins/pins.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import type { GuardedActions } from '../guarded-actions.ts'
import { type ConverseOptions, DEFAULT_ATTEND_MS, DEFAULT_MAX_TOOLS } from '../options.ts'

interface ModelToolsParts {
  readonly actions: GuardedActions
  readonly catalogue: Catalogue
  readonly upstreams: Upstreams
  readonly pins: PinStore
  readonly maxTools?: number
  /** How long a turn waits for a task. */
  readonly attendMs?: number
  /** What servers say of themselves, for all conversations. */
  readonly definitions: DefinitionWords
  provenance(session: string): Provenance
}

export function createModelTools(
  parts: ModelToolsParts,
  { session, tools }: ConverseOptions,
  servers?: readonly string[],
): ModelTools {
  const { actions, catalogue, definitions, maxTools = DEFAULT_MAX_TOOLS } = parts
  const { isMember, isChosen, isAll } = choiceOf(catalogue, tools, servers)
  const search = searchTools({
    missing: () => catalogue.missing(),
    find: (name, kind) => (isChosen(name) ? catalogue.find(name, kind) : undefined),
    search: (query, { limit, ...options } = {}) => {
      const hits = catalogue.search(query, { ...options, limit: isAll ? limit : Number.POSITIVE_INFINITY })
      return hits.filter(({ item }) => isChosen(item.name)).slice(0, limit)
    },
  })
  /** The model was last shown the search in place of the tools: only then are its names the search's. */
  let isSearching = false
  const offered = (): CatalogueItem[] =>
    catalogue.items(['tool']).filter((item) => item.quarantine === undefined && isChosen(item.name))
  return {
    ready: (signal) => catalogue.gather(signal),
    tools: () => {
      const items = offered()
      parts.provenance(session).noteDefinitions(definitions)
      for (const { server, fingerprint, definition } of items) definitions.note(server, fingerprint, definition)
      isSearching = items.length > maxTools
      return isSearching ? search.definitions.map(toOffer) : items.map(toTool)
    },
    serverOf: (name, args) => {
      const use = isSearching ? search.use(name, args) : undefined
      if (use?.kind === 'answer') return undefined
      return catalogue.find(use?.name ?? name, 'tool')?.server
    },
    instructions: () => instructionsOf(parts, isMember),
    async call({ name, arguments: args, ...options }) {
      const use = isSearching ? search.use(name, args) : undefined
      if (use?.kind === 'answer') {
        const reason = 'Searching the catalogue touches no server'
        return { result: use.result, server: undefined, arguments: args, reason }
      }
      const act = use ?? { name, arguments: args }
      if (!isChosen(act.name)) {
        const message = `"${act.name}" is not among the tools of this conversation`
        throw new HostError('unknown-item', message, { data: { name: act.name } })
      }
      // Whatever a model decides may have been put into its mouth by text that a server sent.
      const started = await actions.callAsTask(act.name, act.arguments, {
        ...options,
        session,
        byModel: true,
        attendMs: parts.attendMs ?? DEFAULT_ATTEND_MS,
      })
      if (started.task === undefined) return started
      const { task, told, arguments: sent, reason } = started
      const { label, server } = task
      return { result: { content: [] }, server, arguments: sent, reason, task: { label, told } }
    },
  }
}

/** What a conversation may use: the tools it names, of the servers it names; everything unless it names some. */
function choiceOf(
  catalogue: Catalogue,
  tools: readonly string[] | undefined,
  servers: readonly string[] | undefined,
): { isMember(server: string | undefined): boolean; isChosen(name: string): boolean; readonly isAll: boolean } {
  const chosen = tools === undefined ? undefined : new Set(tools)
  const isMember = (server: string | undefined): boolean =>
    servers === undefined || (server !== undefined && servers.includes(server))
  const isChosen = (name: string): boolean =>
    (chosen?.has(name) ?? true) && (servers === undefined || isMember(catalogue.find(name, 'tool')?.server))
  return { isMember, isChosen, isAll: chosen === undefined && servers === undefined }
}

/** What connected servers say about their use, as far as those words were approved. */
function instructionsOf(
  { upstreams, pins, definitions }: ModelToolsParts,
  isMember: (server: string) => boolean,
): ReturnType<ModelTools['instructions']> {
  return upstreams.views().flatMap(({ name, state, instructions, config }) => {
    if (state.state !== 'ready' || instructions === undefined || !isMember(name)) return []
    // Other words than were approved wait for a person.
    const { quarantine } = pins.checkInstructions(name, instructions, config.settings.trusted)
    if (quarantine !== undefined) return []
    definitions.note(name, `instructions ${instructions}`, instructions)
    return [{ server: name, text: instructions }]
  })
}

function toTool(item: CatalogueItem): OfferedTool {
  // Only tools were asked for.
  const { description, inputSchema } = item.definition as CatalogueItem['definition'] & OfferedTool
  return { name: item.name, description, inputSchema }
}

function toOffer({ name, description, inputSchema }: OfferedTool): OfferedTool {
  return { name, description, inputSchema }
}
