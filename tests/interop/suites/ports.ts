/**
 * The ports among our examples beside the servers they stand for: the same tools with the same arguments and results, so that
 * a client can be moved from one to the other. Words for the model are each author's own and are not compared.
 */

import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect, RpcError, type Tool } from '@portico/sdk/client'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { type Cases, memory, sequentialThinking } from '../published/cases.ts'
import { toPublishedCommand } from '../published/program.ts'
import { toCommand } from '../server-under-test.ts'

export const portSuites: Trial[] = [
  { name: 'port · graph · server-memory', run: (report) => compare(report, 'memory', 'graph', memory) },
  {
    name: 'port · thinking · server-sequential-thinking',
    run: (report) => compare(report, 'sequential-thinking', 'thinking', sequentialThinking),
  },
]

const SERVE = new URL('../../../examples/programs/serve.ts', import.meta.url)

async function compare(report: Report, published: string, port: string, cases: Cases): Promise<void> {
  const files = [published, port].map((name) => join(tmpdir(), `portico-${name}-${process.pid}.jsonl`))
  const [theirs, ours] = await Promise.all([
    connect({ ...toPublishedCommand(published), env: { MEMORY_FILE_PATH: files[0] ?? '' } }, { negotiations: false }),
    connect({ ...toCommand(SERVE, [port]), env: { MEMORY_FILE_PATH: files[1] ?? '' } }, { negotiations: false }),
  ])
  try {
    await report.check('the same tools, with the same arguments and results', async () => {
      const [first, second] = await Promise.all([theirs.listTools(), ours.listTools()])
      assert.deepEqual(second.map(shapeOf).sort(byName), first.map(shapeOf).sort(byName))
    })
    for (const [tool, uses] of Object.entries(cases.tools)) {
      await report.check(`the same answers: ${tool}`, async () => {
        for (const { args } of uses)
          assert.deepEqual(await answerOf(ours, tool, args), await answerOf(theirs, tool, args))
      })
    }
  } finally {
    await Promise.all([theirs.close(), ours.close()])
    for (const file of files) await rm(file, { force: true })
  }
}

type Schema = { readonly properties?: object; readonly required?: readonly string[] }

/** What a caller must know of a tool, without its words. */
function shapeOf({ name, inputSchema, outputSchema }: Tool): { name: string; input: unknown; output: unknown } {
  return { name, input: membersOf(inputSchema), output: membersOf(outputSchema) }
}

function membersOf({ properties = {}, required = [] }: Schema = {}): { members: string[]; required: string[] } {
  return { members: Object.keys(properties).sort(), required: [...required].sort() }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

/** The data of an answer, or that it was refused; messages to people and models differ. */
async function answerOf(client: Client, tool: string, args: Cases['tools'][string][number]['args']): Promise<unknown> {
  const refused = { refused: true }
  try {
    const { isError, structuredContent } = await client.callTool(tool, args)
    return isError ? refused : withoutWords(structuredContent)
  } catch (error) {
    if (error instanceof RpcError) return refused
    throw error
  }
}

/** `message` is said to whoever reads it. */
function withoutWords(content: unknown): unknown {
  if (typeof content !== 'object' || content === null) return content
  return Object.fromEntries(Object.entries(content).filter(([name]) => name !== 'message'))
}
