/** Answers of the gateway's callers on their way to the server that asked: what does not fit the question goes no further. */

import type { ProtocolVersion } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, createSite, raw, type Site } from './gateway-site.ts'
import { eventually, TASKS } from './gateway-task-site.ts'

afterEach(closeAll)

const FORM = {
  type: 'object',
  properties: { v: { type: 'integer', minimum: 1, maximum: 5 } },
  required: ['v'],
} as const
const MISFITS = [
  { action: 'accept', content: { v: 99 } },
  { action: 'accept' },
  { action: 'accept', content: null },
  { action: 'accept', content: { v: 'text' } },
  { action: 'accept', content: { v: { deep: [1] } } },
  { action: 'accept', content: { v: 3, more: { deep: [1] } } },
  { action: 'evil', content: { v: 3 } },
]
const SAID = { role: 'assistant', model: 'm' }
const MISSAID = [
  { ...SAID, content: { type: 'text' } },
  { ...SAID, content: [{ type: 'image', data: 1 }] },
  { ...SAID, content: { type: 'tool_use', id: 'a', name: 'b', input: 'c' } },
  { content: { type: 'text', text: 'hi' } },
]
const CAPABILITIES = { elicitation: { form: {} }, sampling: {} }
const UPSTREAMS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

const KINDS = [
  ['form', MISFITS, { action: 'accept', content: { v: 3 } }],
  ['model', MISSAID, { ...SAID, content: { type: 'text', text: 'hi' } }],
] as const

async function siteOf(version: ProtocolVersion, tasksAfterMs: number): Promise<Site> {
  const server = createServer({
    name: 'asking',
    version: '1',
    versions: [version],
    onError: () => {},
    tools: {
      form: tool({}, async (_args, ctx) => {
        const { content } = await ctx.elicit('q', { message: 'How many?', form: FORM })
        return JSON.stringify(content)
      }),
      model: tool({}, async (_args, ctx) => {
        const { content } = await ctx.sample('q', { prompt: 'Say', maxTokens: 5 })
        return JSON.stringify(content)
      }),
    },
  })
  return createSite({ asking: { target: server, versions: version, settings: { tasksAfterMs } } })
}

// Asked again by the gateway: had the server been given the answer, it had refused it, or asked under another key.
describe.each(UPSTREAMS)('a server of %s is given no answer that does not fit its question', (version) => {
  test.each(KINDS)('sec-736: in rounds (%s)', async (name, misfits, fit) => {
    const site = await siteOf(version, 600_000)
    const call = async (more: object = {}) =>
      (await raw(site, 'tools/call', { name, arguments: {}, ...more }, { capabilities: CAPABILITIES })).result
    let asked = await call()
    const [key = ''] = Object.keys(asked.inputRequests)
    for (const misfit of misfits) {
      asked = await call({ requestState: asked.requestState, inputResponses: { [key]: misfit } })
      expect([misfit, Object.keys(asked.inputRequests ?? {})]).toEqual([misfit, [key]])
    }
    const done = await call({ requestState: asked.requestState, inputResponses: { [key]: fit } })
    expect(done.resultType).toBe('complete')
  })

  test.each(KINDS)('sec-736: to a task (%s)', async (name, misfits, fit) => {
    const site = await siteOf(version, 0)
    const capabilities = { ...CAPABILITIES, extensions: { [TASKS]: {} } }
    const ask = async (method: string, params: { [name: string]: unknown }) =>
      (await raw(site, method, params, { capabilities })).result
    const { taskId } = await ask('tools/call', { name, arguments: {} })
    const asked = async () => {
      const { status, inputRequests = {} } = await ask('tasks/get', { taskId })
      return [status, ...Object.keys(inputRequests)]
    }
    await eventually(async () => (await asked())[0]).toBe('input_required')
    const [, first = ''] = await asked()
    let key = first
    for (const [index, misfit] of misfits.entries()) {
      await ask('tasks/update', { taskId, inputResponses: { [key]: misfit } })
      // A task asks the same again under the same name, counted.
      key = `${first}.${index + 2}`
      await eventually(asked).toEqual(['input_required', key])
    }
    await ask('tasks/update', { taskId, inputResponses: { [key]: fit } })
    await eventually(asked).toEqual(['completed'])
  })
})
