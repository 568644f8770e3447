/**
 * Calls every tool with random arguments made from its own input schema, and fails when one crashes: an internal error, an
 * unexpected exception, a result that breaks the output schema. A refusal is fine, and so is an error that the tool
 * reports itself. Needs `fast-check`, which shrinks what it finds to the smallest arguments that still crash.
 */

import type * as FastCheck from 'fast-check'
import { INTERNAL_ERROR, PorticoError, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, Tool } from '../protocol/tools.ts'
import { compileJsonSchema } from '../schema/json-schema/json-schema.ts'
import type { Server } from '../server/server.ts'
import { arbitraryOf } from './arbitraries.ts'
import { type TestClient, type TestOptions, testClient } from './test-client.ts'

/** How many calls are tried, and of which tools. */
export interface PropertyOptions extends TestOptions {
  /** Calls for each tool: 50 unless given. */
  readonly runs?: number
  /** Repeats an earlier run; a failure names its seed. */
  readonly seed?: number
  /** Only these tools; all unless given. They are really called: leave out what must not happen. */
  readonly tools?: readonly string[]
}

/** What the tried calls showed. */
export interface PropertyReport {
  readonly tool: string
  readonly calls: number
  /** How many of the calls had arguments that fit the schema. */
  readonly fitting: number
}

/**
 * Calls every tool with random arguments that are made from its input schema; needs the package `fast-check`. Throws at
 * the first tool that crashes, with the shortest arguments found that make it crash. A refusal is no crash.
 *
 * @example
 * ```ts
 * import { propertyCalls } from '@portico/sdk/testing'
 *
 * const reports = await propertyCalls(server, { runs: 100, tools: ['search'] })
 * console.log(reports) // [{ tool: 'search', calls: 100, fitting: 100 }]
 * ```
 */
export async function propertyCalls(server: Server, options: PropertyOptions = {}): Promise<PropertyReport[]> {
  const { runs = 50, seed, tools: wanted, ...rest } = options
  const fc = await loadFastCheck()
  const client = await testClient(server, rest)
  try {
    const tools = (await client.listTools()).filter(({ name }) => wanted?.includes(name) ?? true)
    const missing = wanted?.find((name) => !tools.some((tool) => tool.name === name))
    if (missing !== undefined) throw new PorticoError('not-found', `There is no tool "${missing}"`)
    const reports: PropertyReport[] = []
    for (const tool of tools) reports.push(await callAtRandom(fc, client, tool, { runs, seed }))
    return reports
  } finally {
    await client.close()
  }
}

async function callAtRandom(
  fc: typeof FastCheck,
  client: TestClient,
  tool: Tool,
  { runs, seed }: { runs: number; seed: number | undefined },
): Promise<PropertyReport> {
  const validator = compileJsonSchema(tool.inputSchema)
  let [calls, fitting] = [0, 0]
  const property = fc.asyncProperty(arbitraryOf(fc, tool.inputSchema), async (args) => {
    // As it would arrive: what JSON cannot hold is gone before it is judged.
    const sent: unknown = JSON.parse(JSON.stringify(args) ?? 'null')
    if (!isObject(sent)) return
    calls++
    if (validator.validate(sent) === undefined) fitting++
    const crash = await crashOf(client, tool.name, sent)
    if (crash !== undefined) throw new PorticoError('tool-error', `"${tool.name}" crashed: ${crash}`)
  })
  await fc.assert(property, { numRuns: runs, ...(seed !== undefined && { seed }) })
  return { tool: tool.name, calls, fitting }
}

/** What went wrong beyond an ordinary refusal. */
async function crashOf(client: TestClient, name: string, args: JsonObject): Promise<string | undefined> {
  try {
    const result = await client.callTool(name, args)
    return result.isError === true ? crashIn(result) : undefined
  } catch (error) {
    if (error instanceof RpcError && error.rpcCode !== INTERNAL_ERROR) return undefined
    return error instanceof Error ? error.message : String(error)
  }
}

/** How the server puts an exception that the tool did not mean to throw. */
function crashIn({ content }: CallToolResult): string | undefined {
  const [first] = content
  return first?.type === 'text' && /^The tool ".*" failed unexpectedly\./.test(first.text) ? first.text : undefined
}

async function loadFastCheck(): Promise<typeof FastCheck> {
  try {
    return await import('fast-check')
  } catch (cause) {
    throw new PorticoError('not-found', 'propertyCalls needs fast-check: npm install --save-dev fast-check', { cause })
  }
}
