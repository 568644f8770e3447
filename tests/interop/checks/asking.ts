/** What a server asks of its client: forms, URLs, sampling, roots, from tools, prompts and resource reads. */

import assert from 'node:assert/strict'
import { codeOf, createAnswers, fillForm, type Json, jsonOf, textOf } from '../guest.ts'
import type { Check, Scene } from '../house.ts'

const hasForms: NonNullable<Check['when']> = ({ version }) => version >= '2025-06-18'
const hasUrls: NonNullable<Check['when']> = ({ version }) => version >= '2025-11-25'

export const askingChecks: Check[] = [
  {
    name: 'a form with every simple field is shown and answered',
    when: hasForms,
    async run({ guest }) {
      let asked: Json = {}
      guest.answers.elicit = (params) => {
        asked = params
        return { action: 'accept', content: fillForm(params) }
      }
      const answer = jsonOf(await guest.callTool('ask_person'))
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
    async run({ guest }) {
      for (const action of ['decline', 'cancel']) {
        guest.answers.elicit = () => ({ action })
        assert.equal(jsonOf(await guest.callTool('ask_person')).action, action)
      }
    },
  },
  {
    name: 'every form of choice, flattened where the revision is poorer',
    when: (scene) => hasForms(scene) && (scene.house.maker === 'ours' || hasUrls(scene)),
    async run({ guest }) {
      guest.answers.elicit = createAnswers().elicit
      const { action, content } = jsonOf(await guest.callTool('ask_choices'))
      assert.equal(action, 'accept')
      assert.deepEqual(content, { size: 'small', shade: 'd', colours: ['red', 'green'], sides: ['red', 'green'] })
    },
  },
  {
    name: 'defaults are filled in for what the user left out',
    when: hasUrls,
    async run({ guest }) {
      guest.answers.elicit = () => ({ action: 'accept', content: {} })
      const { content } = jsonOf(await guest.callTool('ask_defaults'))
      assert.deepEqual(content, { city: 'Delft', seats: 4, window: true, colour: 'green', extras: ['cake'] })
    },
  },
  {
    name: 'a URL is shown, and consent reaches the handler',
    when: hasUrls,
    async run({ guest }) {
      const asked: Json[] = []
      guest.answers.elicit = (params) => {
        asked.push(params)
        return { action: 'accept' }
      }
      assert.equal(textOf(await guest.callTool('ask_url')), 'accept')
      assert.equal(asked.length, 1)
      assert.deepEqual([asked[0]?.mode, asked[0]?.url], ['url', 'https://example.com/sign-in?id=7'])
      guest.answers.elicit = () => ({ action: 'decline' })
      assert.equal(textOf(await guest.callTool('ask_url')), 'decline')
    },
  },
  {
    name: 'a URL is asked for until the visit is over',
    when: (scene) => hasUrls(scene) && scene.house.maker === 'ours',
    run: visitUntilDone,
  },
  {
    name: 'the client’s model is asked, with preferences',
    async run({ guest }) {
      let asked: Json = {}
      guest.answers.sample = (params) => {
        asked = params
        return {
          role: 'assistant',
          model: 'test-model',
          stopReason: 'endTurn',
          content: { type: 'text', text: 'a thought' },
        }
      }
      const answer = jsonOf(await guest.callTool('ask_model'))
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
    async run({ guest }) {
      const rounds: Json[] = []
      guest.answers.sample = (params) => {
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
      const answer = jsonOf(await guest.callTool('ask_model_tools'))
      assert.deepEqual([answer.used, answer.input], ['clock', { zone: 'UTC' }])
      assert.match(JSON.stringify(answer.answer), /It is noon/)
      assert.deepEqual(rounds[0]?.toolChoice, { mode: 'required' })
      assert.match(JSON.stringify(rounds[1]?.messages), /tool_result.*noon/)
    },
  },
  {
    name: 'the client’s roots are asked for',
    async run({ guest }) {
      guest.answers.roots = () => [{ uri: 'file:///srv/data', name: 'data' }]
      assert.deepEqual(jsonOf<unknown>(await guest.callTool('ask_roots')), [{ uri: 'file:///srv/data', name: 'data' }])
    },
  },
  {
    name: 'a change of roots can be announced, and is heard',
    when: ({ modern }) => !modern,
    async run({ guest, house }) {
      const heard = async () => (house.maker === 'ours' ? Number(textOf(await guest.callTool('roots_heard'))) : 0)
      const before = await heard()
      await guest.rootsChanged()
      await guest.ping()
      if (house.maker === 'ours') assert.equal(await heard(), before + 1)
    },
  },
  {
    name: 'three questions at once are all answered',
    when: hasForms,
    async run({ guest }) {
      Object.assign(guest.answers, createAnswers())
      const answer = jsonOf(await guest.callTool('ask_together'))
      assert.deepEqual((answer.name as Json).content, { name: 'Ada' })
      assert.match(JSON.stringify(answer.thought), /a thought/)
      assert.match(JSON.stringify(answer.roots), /\/home\/ada\/project/)
    },
  },
  {
    name: 'two questions in turn, and what comes before them happens once',
    when: (scene) => hasForms(scene) && scene.house.maker === 'ours',
    async run({ guest }) {
      guest.answers.elicit = createAnswers().elicit
      const answer = jsonOf(await guest.callTool('ask_in_turn'))
      const again = jsonOf(await guest.callTool('ask_in_turn'))
      assert.equal(answer.charge, answer.charges)
      assert.equal(again.charges, Number(answer.charges) + 1)
      assert.deepEqual((answer.second as Json).content, { second: 'Ada' })
    },
  },
  {
    name: 'a prompt and a resource ask as well',
    when: (scene) => hasForms(scene) && scene.house.maker === 'ours',
    async run({ guest }) {
      guest.answers.elicit = createAnswers().elicit
      const { messages } = await guest.getPrompt('interview')
      assert.equal(messages[0]?.content.text, 'Tell me about Ada.')
      assert.equal((await guest.readResource('note://secret'))[0]?.text, 'for Ada')
    },
  },
]

/** With a guest that offers nothing: the question fails at the server, typed, and the guest is told. */
export const unaskableChecks: Check[] = [
  {
    name: 'a client that cannot be asked gets an error that says so',
    async run({ guest, modern, version }) {
      for (const name of ['ask_model', 'ask_roots', ...(version >= '2025-06-18' ? ['ask_person'] : [])]) {
        const call = guest.callTool(name)
        if (modern) await assert.rejects(call, (error) => codeOf(error) === -32021)
        else assert.equal((await call).isError, true)
      }
    },
  },
]

async function visitUntilDone({ guest, modern }: Scene): Promise<void> {
  let asked = 0
  guest.answers.elicit = () => {
    asked += 1
    return { action: 'accept' }
  }
  const ticket = crypto.randomUUID()
  // Our client shows the URLs of a -32042 by itself and tries again.
  if (modern || guest.maker === 'ours') {
    assert.equal(textOf(await guest.callTool('ask_visit', { ticket })), 'accept')
    assert.ok(asked >= 2, `asked ${asked} times`)
    return
  }
  await assert.rejects(guest.callTool('ask_visit', { ticket }), (error) => codeOf(error) === -32042)
  guest.heard.clear()
  assert.equal(textOf(await guest.callTool('ask_visit', { ticket })), 'accept')
  await guest.heard.next('notifications/elicitation/complete')
}
