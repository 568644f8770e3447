/** What a server asks of its client: forms, URLs, sampling, roots, from tools, prompts and resource reads. */

import assert from 'node:assert/strict'
import { codeOf, createAnswers, fillForm, type Json, jsonOf, textOf } from '../client-under-test.ts'
import type { Check, Pair } from '../server-under-test.ts'

const hasForms: NonNullable<Check['when']> = ({ version }) => version >= '2025-06-18'
const hasUrls: NonNullable<Check['when']> = ({ version }) => version >= '2025-11-25'

export const askingChecks: Check[] = [
  {
    name: 'a form with every simple field is shown and answered',
    when: hasForms,
    async run({ client }) {
      let asked: Json = {}
      client.answers.elicit = (params) => {
        asked = params
        return { action: 'accept', content: fillForm(params) }
      }
      const answer = jsonOf(await client.callTool('ask_person'))
      assert.equal(asked.message, 'Who are you?')
      const { properties } = asked.requestedSchema as { properties: { [name: string]: Json } }
      assert.deepEqual(
        Object.values(properties).map((field) => field.type),
        ['string', 'integer', 'number', 'string', 'string', 'boolean'],
      )
      assert.equal(properties.email?.format, 'email')
      assert.equal(properties.born?.format, 'date')
      const content = {
        name: 'Ada',
        age: 0,
        height: 0.1,
        email: 'ada@example.com',
        born: '1815-12-10',
        subscribed: true,
      }
      assert.deepEqual(answer, { action: 'accept', content })
    },
  },
  {
    name: 'decline and cancel reach the handler',
    when: hasForms,
    async run({ client }) {
      for (const action of ['decline', 'cancel']) {
        client.answers.elicit = () => ({ action })
        assert.equal(jsonOf(await client.callTool('ask_person')).action, action)
      }
    },
  },
  {
    name: 'every form of choice, flattened where the revision is poorer',
    when: (pair) => hasForms(pair) && (pair.server.maker === 'ours' || hasUrls(pair)),
    async run({ client }) {
      client.answers.elicit = createAnswers().elicit
      const { action, content } = jsonOf(await client.callTool('ask_choices'))
      assert.equal(action, 'accept')
      assert.deepEqual(content, { size: 'small', shade: 'd', colours: ['red', 'green'], sides: ['red', 'green'] })
    },
  },
  {
    name: 'defaults are filled in for what the user left out',
    when: hasUrls,
    async run({ client }) {
      client.answers.elicit = () => ({ action: 'accept', content: {} })
      const { content } = jsonOf(await client.callTool('ask_defaults'))
      assert.deepEqual(content, { city: 'Delft', seats: 4, window: true, colour: 'green', extras: ['cake'] })
    },
  },
  {
    name: 'a URL is shown, and consent reaches the handler',
    when: hasUrls,
    async run({ client }) {
      const asked: Json[] = []
      client.answers.elicit = (params) => {
        asked.push(params)
        return { action: 'accept' }
      }
      assert.equal(textOf(await client.callTool('ask_url')), 'accept')
      assert.equal(asked.length, 1)
      assert.deepEqual([asked[0]?.mode, asked[0]?.url], ['url', 'https://example.com/sign-in?id=7'])
      client.answers.elicit = () => ({ action: 'decline' })
      assert.equal(textOf(await client.callTool('ask_url')), 'decline')
    },
  },
  {
    name: 'a URL is asked for until the visit is over',
    when: (pair) => hasUrls(pair) && pair.server.maker === 'ours',
    run: visitUntilDone,
  },
  {
    name: 'the client’s model is asked, with preferences',
    async run({ client }) {
      let asked: Json = {}
      client.answers.sample = (params) => {
        asked = params
        return {
          role: 'assistant',
          model: 'test-model',
          stopReason: 'endTurn',
          content: { type: 'text', text: 'a thought' },
        }
      }
      const answer = jsonOf(await client.callTool('ask_model'))
      assert.deepEqual(answer.content, { type: 'text', text: 'a thought' })
      assert.deepEqual([answer.model, answer.stopReason], ['test-model', 'endTurn'])
      assert.deepEqual([asked.systemPrompt, asked.maxTokens, asked.temperature], ['Be brief', 50, 0.2])
      assert.deepEqual(asked.stopSequences, ['END'])
      assert.deepEqual((asked.modelPreferences as Json).hints, [{ name: 'small' }])
    },
  },
  {
    name: 'the client’s model uses a tool and gets its result',
    when: hasUrls,
    async run({ client }) {
      const rounds: Json[] = []
      client.answers.sample = (params) => {
        rounds.push(params)
        if (rounds.length > 1) {
          return {
            role: 'assistant',
            model: 'm',
            stopReason: 'endTurn',
            content: { type: 'text', text: 'It is noon.' },
          }
        }
        const use = { type: 'tool_use', id: 'use-1', name: 'clock', input: { zone: 'UTC' } }
        return { role: 'assistant', model: 'm', stopReason: 'toolUse', content: [use] }
      }
      const answer = jsonOf(await client.callTool('ask_model_tools'))
      assert.deepEqual([answer.used, answer.input], ['clock', { zone: 'UTC' }])
      assert.match(JSON.stringify(answer.answer), /It is noon/)
      assert.deepEqual(rounds[0]?.toolChoice, { mode: 'required' })
      assert.match(JSON.stringify(rounds[1]?.messages), /tool_result.*noon/)
    },
  },
  {
    name: 'the client’s roots are asked for',
    async run({ client }) {
      client.answers.roots = () => [{ uri: 'file:///srv/data', name: 'data' }]
      assert.deepEqual(jsonOf<unknown>(await client.callTool('ask_roots')), [{ uri: 'file:///srv/data', name: 'data' }])
    },
  },
  {
    name: 'a change of roots can be announced, and is heard',
    when: ({ modern }) => !modern,
    async run({ client, server }) {
      const heard = async () => (server.maker === 'ours' ? Number(textOf(await client.callTool('roots_heard'))) : 0)
      const before = await heard()
      await client.rootsChanged()
      await client.ping()
      if (server.maker === 'ours') assert.equal(await heard(), before + 1)
    },
  },
  {
    name: 'three questions at once are all answered',
    when: hasForms,
    async run({ client }) {
      Object.assign(client.answers, createAnswers())
      const answer = jsonOf(await client.callTool('ask_together'))
      assert.deepEqual((answer.name as Json).content, { name: 'Ada' })
      assert.match(JSON.stringify(answer.thought), /a thought/)
      assert.match(JSON.stringify(answer.roots), /\/home\/ada\/project/)
    },
  },
  {
    name: 'two questions in turn, and what comes before them happens once',
    when: (pair) => hasForms(pair) && pair.server.maker === 'ours',
    async run({ client }) {
      client.answers.elicit = createAnswers().elicit
      const answer = jsonOf(await client.callTool('ask_in_turn'))
      const again = jsonOf(await client.callTool('ask_in_turn'))
      assert.equal(answer.charge, answer.charges)
      assert.equal(again.charges, Number(answer.charges) + 1)
      assert.deepEqual((answer.second as Json).content, { second: 'Ada' })
    },
  },
  {
    name: 'a prompt and a resource ask as well',
    when: (pair) => hasForms(pair) && pair.server.maker === 'ours',
    async run({ client }) {
      client.answers.elicit = createAnswers().elicit
      const { messages } = await client.getPrompt('interview')
      assert.equal(messages[0]?.content.text, 'Tell me about Ada.')
      assert.equal((await client.readResource('note://secret'))[0]?.text, 'for Ada')
    },
  },
]

/** With a client that offers nothing: the question fails at the server, typed, and the client is told. */
export const unaskableChecks: Check[] = [
  {
    name: 'a client that cannot be asked gets an error that says so',
    async run({ client, modern, version }) {
      for (const name of ['ask_model', 'ask_roots', ...(version >= '2025-06-18' ? ['ask_person'] : [])]) {
        const call = client.callTool(name)
        if (modern) await assert.rejects(call, (error) => codeOf(error) === -32021)
        else assert.equal((await call).isError, true)
      }
    },
  },
]

async function visitUntilDone({ client, modern }: Pair): Promise<void> {
  let asked = 0
  client.answers.elicit = () => {
    asked += 1
    return { action: 'accept' }
  }
  const ticket = crypto.randomUUID()
  // Our client shows the URLs of a -32042 by itself and tries again.
  if (modern || client.maker === 'ours') {
    assert.equal(textOf(await client.callTool('ask_visit', { ticket })), 'accept')
    assert.ok(asked >= 2, `asked ${asked} times`)
    return
  }
  await assert.rejects(client.callTool('ask_visit', { ticket }), (error) => codeOf(error) === -32042)
  client.heard.clear()
  assert.equal(textOf(await client.callTool('ask_visit', { ticket })), 'accept')
  await client.heard.next('notifications/elicitation/complete')
}
