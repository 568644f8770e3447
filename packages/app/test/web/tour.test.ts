import { createServer, tool } from '@portico/sdk/server'
import { afterEach, expect, it } from 'vitest'
import type { Chat, ChatPart } from '../../src/web/api-types/api.ts'
import { type Bench, cleanUp, startBench, until } from './open-workbench.ts'
import { withServers } from './servers.ts'

afterEach(cleanUp)

const partsOf = <K extends ChatPart['kind']>(chat: Chat, kind: K) =>
  chat.parts.filter((part): part is Extract<ChatPart, { kind: K }> => part.kind === kind)

/** Says yes to whatever is asked until the chat has nothing more to do; gives the questions. */
async function agree(bench: Bench, id: string): Promise<Set<string>> {
  const answered = new Set<string>()
  await until(async () => {
    for (const { id: question, body } of (await bench.call('inbox.list', {})).questions) {
      answered.add(question)
      const content = body.kind === 'form' ? { content: { confirm: true } } : {}
      await bench.call('inbox.answer', { id: question, answer: { action: 'allow', ...content } })
    }
    return !(await bench.call('chat.open', { id })).busy
  })
  return answered
}

it('plays the tour through the real loop, with real tools and real questions, and says that it is one', async () => {
  const bench = await startBench({ builtIns: ['files', 'sql', 'memory', 'time'] })
  const { id, ...chat } = await bench.call('chat.create', { tour: true })
  expect(chat).toMatchObject({ tour: true, busy: true })
  const answered = await agree(bench, id)
  const done = await bench.call('chat.open', { id })
  expect(partsOf(done, 'notice')[0]?.text).toContain('script')
  const tools = partsOf(done, 'tool')
  expect(tools.map(({ name, status }) => [name, status])).toEqual([
    ['time_now', 'ok'],
    ['sql_query', 'ok'],
    ['memory_remember', 'ok'],
    ['files_write_file', 'ok'],
  ])
  expect(tools[0]?.reason).toContain('trusted')
  expect(answered.size).toBeGreaterThanOrEqual(3)
  // The script answers to nobody who has not asked for it.
  expect((await bench.call('chat.models', {})).models).toEqual([])
})

it('goes on after it was stopped, whatever is said, and admits when there is no more', async () => {
  const bench = await startBench({ builtIns: ['time', 'memory'] })
  const { id } = await bench.call('chat.create', { tour: true })
  await until(async () => (await bench.call('inbox.list', {})).questions.length > 0)
  await bench.call('chat.cancel', { id })
  await until(async () => !(await bench.call('chat.open', { id })).busy)
  expect(partsOf(await bench.call('chat.open', { id }), 'tool').at(-1)?.status).toBe('cancelled')
  await bench.call('chat.send', { id, text: 'go on' })
  await agree(bench, id)
  expect(partsOf(await bench.call('chat.open', { id }), 'assistant').at(-1)?.text).toContain('a script has no answer')
})

it('works however many tools there are besides (newcomer A2)', async () => {
  const many = createServer({ name: 'many', version: '1' })
  for (let at = 0; at < 100; at++)
    many.tool(
      `tool_${at}`,
      tool({ input: { type: 'object' } }, () => 'x'),
    )
  const bench = await startBench({ builtIns: ['time'], ...withServers({ many: () => many }) })
  await until(async () => (await bench.call('items.list', { server: 'many', kind: 'tool' })).total === 100)
  const { id } = await bench.call('chat.create', { tour: true })
  await agree(bench, id)
  expect(partsOf(await bench.call('chat.open', { id }), 'tool')).toMatchObject([{ name: 'time_now', status: 'ok' }])
})
