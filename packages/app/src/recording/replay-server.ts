/**
 * A recording as a server: the same calls get the same answers, in the order in which they were given where one was
 * made several times. Serves every revision, whichever one was recorded; starts nothing and contacts nobody.
 */

import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  JsonObject,
  ReadResourceResult,
} from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { defineRelay, type Relay } from '@portico/sdk/relay'
import { createServer, RpcError, type Server } from '@portico/sdk/server'
import { type Exchange, exchangesOf, type Outcome, questionKey } from './exchanges.ts'
import type { Recording } from './format.ts'

const INVALID_PARAMS = -32602
const RESOURCE_NOT_FOUND = -32002

/** Lists that were recorded, by the member of the result that holds them. */
const LISTS = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const
type ListMember = (typeof LISTS)[keyof typeof LISTS]

/** Where several servers were recorded, their tools and prompts are told apart as `server_tool`. */
export function createReplayServer(recording: Recording): Server {
  const player = new Player(exchangesOf(recording.messages))
  const [first] = recording.servers
  const several = player.servers.size > 1
  return createServer({
    name: several ? 'recording' : (first?.info?.name ?? first?.name ?? 'recording'),
    version: several ? '1' : (first?.info?.version ?? '1'),
    title: `Recording of ${recording.servers.map(({ name }) => name).join(', ') || 'a session'}`,
    ...(!several && first?.instructions !== undefined && { instructions: first.instructions }),
    slow: false,
    relay: defineRelay(player.relay),
  })
}

class Player {
  readonly servers: ReadonlySet<string>
  readonly #answers = new Map<string, { readonly outcomes: Outcome[]; next: number }>()
  readonly #lists: { readonly [member in ListMember]: readonly JsonObject[] }
  readonly #several: boolean

  constructor(exchanges: readonly Exchange[]) {
    this.servers = new Set(exchanges.map(({ server }) => server))
    this.#several = this.servers.size > 1
    this.#lists = {
      tools: this.#listOf(exchanges, 'tools/list'),
      resources: this.#listOf(exchanges, 'resources/list'),
      resourceTemplates: this.#listOf(exchanges, 'resources/templates/list'),
      prompts: this.#listOf(exchanges, 'prompts/list'),
    }
    for (const { server, method, params, outcome } of exchanges) {
      const key = questionKey(method, this.#renamed(server, method, params))
      if (key === undefined) continue
      const known = this.#answers.get(key)
      if (known === undefined) this.#answers.set(key, { outcomes: [outcome], next: 0 })
      else known.outcomes.push(outcome)
    }
  }

  get relay(): Relay {
    return {
      // What was listed is what a server of the protocol lists; clients check it as they check every server.
      list: (kind) => this.#lists[kind] as never,
      callTool: async (params) => this.#callTool(params),
      readResource: async (params) =>
        // As above: results are as they were recorded.
        this.#answer('resources/read', params, RESOURCE_NOT_FOUND) as unknown as ReadResourceResult,
      getPrompt: async (params) => this.#answer('prompts/get', params) as unknown as GetPromptResult,
      complete: async (params) => this.#complete(params),
      watch: async () => () => {},
      paramHeaders: () => [],
    }
  }

  #callTool(params: JsonObject): CallToolResult {
    const found = this.#play('tools/call', params)
    if (found !== undefined) return this.#settle(found) as unknown as CallToolResult
    const { name } = params
    if (!this.#lists.tools.some((tool) => tool.name === name)) {
      throw new RpcError(INVALID_PARAMS, `There is no tool "${String(name)}" in the recording`)
    }
    const text = `The recording has no answer of "${String(name)}" for these arguments. Call it as it was recorded.`
    return { content: [{ type: 'text', text }], isError: true }
  }

  #complete(params: JsonObject): CompleteResult {
    const found = this.#play('completion/complete', params)
    if (found === undefined) return { completion: { values: [] } }
    return this.#settle(found) as unknown as CompleteResult
  }

  #answer(method: string, params: JsonObject, code = INVALID_PARAMS): JsonObject {
    const found = this.#play(method, params)
    if (found === undefined) throw new RpcError(code, 'The recording has no answer for this', { uri: params.uri })
    return this.#settle(found)
  }

  #settle(outcome: Outcome): JsonObject {
    if ('result' in outcome) return outcome.result
    const { code, message, data } = outcome.error
    throw new RpcError(code, message, data)
  }

  /** The last answer stays when they have all been given. */
  #play(method: string, params: JsonObject): Outcome | undefined {
    const known = this.#answers.get(questionKey(method, params) ?? '')
    if (known === undefined) return undefined
    const outcome = known.outcomes[known.next]
    if (known.next < known.outcomes.length - 1) known.next++
    return outcome
  }

  /** Pages are put together; of several listings the last whole one counts. */
  #listOf(exchanges: readonly Exchange[], method: keyof typeof LISTS): JsonObject[] {
    const byServer = new Map<string, JsonObject[]>()
    for (const exchange of exchanges) {
      if (exchange.method !== method || !('result' in exchange.outcome)) continue
      const { server, params, outcome } = exchange
      const page = outcome.result[LISTS[method]]
      if (!Array.isArray(page)) continue
      const before = params.cursor === undefined ? [] : (byServer.get(server) ?? [])
      byServer.set(server, [...before, ...page.filter(isObject).map((item) => this.#renamedItem(server, method, item))])
    }
    return [...byServer.values()].flat()
  }

  #renamedItem(server: string, method: string, item: JsonObject): JsonObject {
    const named = method === 'tools/list' || method === 'prompts/list'
    return this.#several && named ? { ...item, name: `${server}_${String(item.name)}` } : item
  }

  #renamed(server: string, method: string, params: JsonObject): JsonObject {
    const named = method === 'tools/call' || method === 'prompts/get'
    return this.#several && named ? { ...params, name: `${server}_${String(params.name)}` } : params
  }
}
