/** A recording as a Vitest file: every call that was made is made again, and must be answered as it was. */

import type { JsonObject } from '@portico/sdk/client'
import { type Exchange, exchangesOf } from './exchanges.ts'
import type { RecordedServer, Recording } from './format.ts'

interface ExportedTest {
  readonly name: string
  readonly text: string
  /** How many calls were left out, because there are too many or they are too long. */
  readonly left: number
}

const MAX_CALLS = 200
const MAX_CALL_CHARS = 64_000

export function exportTest(recording: Recording): ExportedTest {
  const exchanges = exchangesOf(recording.messages)
  const names = [...new Set([...recording.servers.map(({ name }) => name), ...exchanges.map(({ server }) => server)])]
  const seen = new Set<string>()
  const blocks: string[] = []
  let left = 0
  for (const name of names) {
    const cases: string[] = []
    for (const exchange of exchanges.filter(({ server }) => server === name)) {
      const body = toCase(exchange)
      if (body === undefined || seen.has(`${name} ${body}`)) continue
      seen.add(`${name} ${body}`)
      if (seen.size > MAX_CALLS || body.length > MAX_CALL_CHARS) left++
      else cases.push(`  it(${quote(titleOf(exchange, cases.length + 1))}, async () => {\n${body}\n  })`)
    }
    if (cases.length > 0)
      blocks.push(
        toBlock(
          name,
          recording.servers.find((one) => one.name === name),
          cases,
        ),
      )
  }
  const stem = names
    .map((name) => name.replace(/[^\w-]+/g, '-'))
    .join('-')
    .slice(0, 60)
  return { name: `${stem || 'recording'}.test.ts`, text: `${HEAD}\n${blocks.join('\n\n')}\n`, left }
}

const HEAD = `// Made from a recording. Each call is made again and must be answered as it was; loosen what may rightly differ.
import { type Client, connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
`

function toBlock(name: string, server: RecordedServer | undefined, cases: readonly string[]): string {
  return `describe(${quote(name)}, () => {
  let client: Client

  beforeAll(async () => {
    client = await connect(${targetOf(server)})
  })
  afterAll(() => client?.close())

${cases.join('\n\n')}
})`
}

function targetOf(server: RecordedServer | undefined): string {
  const { target } = server ?? {}
  if (target === undefined) return "process.env.MCP_SERVER ?? 'http://127.0.0.1:3000/mcp'"
  return 'url' in target ? quote(target.url) : toLiteral({ command: target.command, args: target.args }, 4)
}

/** The lines of one test; undefined for what is not worth repeating. */
function toCase({ method, params, outcome }: Exchange): string | undefined {
  const call = toCall(method, params)
  if (call === undefined) return undefined
  if ('error' in outcome) return `    await expect(${call}).rejects.toMatchObject({ rpcCode: ${outcome.error.code} })`
  return `    expect(await ${call}).toMatchObject(${toLiteral(withoutPassing(outcome.result), 4)})`
}

function toCall(method: string, params: JsonObject): string | undefined {
  switch (method) {
    case 'tools/call':
      return `client.callTool(${quote(String(params.name))}, ${toLiteral(params.arguments ?? {}, 4)})`
    case 'resources/read':
      return `client.readResource(${quote(String(params.uri))})`
    case 'prompts/get':
      return `client.getPrompt(${quote(String(params.name))}, ${toLiteral(params.arguments ?? {}, 4)})`
    default:
      return undefined
  }
}

/** What is between two programs and says nothing about the answer. */
function withoutPassing({ _meta, resultType, ttlMs, cacheScope, ...result }: JsonObject): JsonObject {
  return result
}

function titleOf({ method, params }: Exchange, number: number): string {
  return `${number}: ${method} ${String(params.name ?? params.uri ?? '').slice(0, 80)}`
}

function quote(text: string): string {
  return JSON.stringify(text)
}

/** JSON is an expression of the language, but for one name: nothing recorded is ever more than a value. */
function toLiteral(value: unknown, indent: number): string {
  const text = JSON.stringify(value, null, 2)
  if (text.includes('"__proto__"')) return `JSON.parse(${quote(JSON.stringify(value))})`
  return text.replaceAll('\n', `\n${' '.repeat(indent)}`)
}
