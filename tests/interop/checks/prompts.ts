/** What every client must get from prompts, and from completion of their arguments and of template variables. */

import assert from 'node:assert/strict'
import { codeOf } from '../client-under-test.ts'
import { type Check, spokenIn } from '../server-under-test.ts'

const greet = { type: 'ref/prompt', name: 'greet' } as const
const user = { type: 'ref/resource', uri: 'users://{id}/profile{?tab}' } as const

export const promptChecks: Check[] = [
  {
    name: 'prompts/list gives arguments and which are required',
    async run({ client }) {
      const prompt = (await client.list('prompts')).find(({ name }) => name === 'greet')
      const args = prompt?.arguments as { name: string; required?: boolean }[]
      assert.deepEqual(
        args.map(({ name, required }) => [name, required === true]),
        [
          ['language', true],
          ['greeting', false],
        ],
      )
    },
  },
  {
    name: 'prompts/get fills in the arguments',
    async run({ client }) {
      const { description, messages } = await client.getPrompt('greet', { language: 'dutch', greeting: 'hoi' })
      assert.equal(description, 'Greets in a language')
      assert.deepEqual([messages[0]?.role, messages[0]?.content.text], ['user', 'Say hoi in dutch.'])
    },
  },
  {
    name: 'a prompt carries every kind of content that the revision has',
    async run(pair) {
      const { messages } = await pair.client.getPrompt('gallery')
      const audio = spokenIn(pair) >= '2025-03-26' ? 'audio' : 'text'
      const link = spokenIn(pair) >= '2025-06-18' ? 'resource_link' : 'text'
      assert.deepEqual(
        messages.map(({ content }) => content.type),
        ['text', 'image', audio, link, 'resource', 'resource'],
      )
    },
  },
  {
    name: 'a missing argument and an unknown prompt are -32602',
    async run({ client }) {
      await assert.rejects(client.getPrompt('greet', {}), (error) => codeOf(error) === -32602)
      await assert.rejects(client.getPrompt('no_such_prompt'), (error) => codeOf(error) === -32602)
    },
  },
  {
    name: 'completion of a prompt argument',
    async run({ client }) {
      assert.deepEqual((await client.complete(greet, { name: 'language', value: 'd' })).values, ['dutch', 'danish'])
      assert.deepEqual((await client.complete(greet, { name: 'language', value: 'x' })).values, [])
    },
  },
  {
    name: 'completion uses the arguments chosen before, where the revision carries them',
    when: ({ version }) => version >= '2025-06-18',
    async run({ client }) {
      const { values } = await client.complete(greet, { name: 'greeting', value: 'h' }, { language: 'dutch' })
      assert.deepEqual(values, ['hoi', 'hallo'])
    },
  },
  {
    name: 'completion of a template variable, with context',
    async run({ client, version }) {
      assert.deepEqual((await client.complete(user, { name: 'id', value: 'a' })).values, ['ada', 'alan'])
      if (version < '2025-06-18') return
      const { values } = await client.complete(user, { name: 'tab', value: 'posts' }, { id: 'ada' })
      assert.deepEqual(values, ['ada-posts'])
    },
  },
  {
    name: 'no more than 100 completions, with the total told',
    async run({ client }) {
      const found = await client.complete({ type: 'ref/prompt', name: 'many' }, { name: 'word', value: 'w' })
      assert.deepEqual([found.values.length, found.total, found.hasMore], [100, 250, true])
    },
  },
]
