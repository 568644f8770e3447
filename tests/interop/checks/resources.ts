/** What every client must get from resources and templates, and how it hears that they changed. */

import assert from 'node:assert/strict'
import { codeOf } from '../client-under-test.ts'
import type { Check } from '../server-under-test.ts'

export const resourceChecks: Check[] = [
  {
    name: 'resources/list gives fixed resources and those behind a template',
    async run({ client }) {
      const resources = await client.list('resources')
      const welcome = resources.find((resource) => resource.uri === 'note://welcome')
      assert.equal(welcome?.mimeType, 'text/plain')
      assert.ok(resources.some((resource) => resource.uri === 'users://ada/profile'))
    },
  },
  {
    name: 'resources/templates/list gives the template',
    async run({ client }) {
      const templates = await client.list('resourceTemplates')
      assert.deepEqual(
        templates.map((template) => template.uriTemplate),
        ['users://{id}/profile{?tab}'],
      )
    },
  },
  {
    name: 'a text resource is read',
    async run({ client }) {
      const [contents] = await client.readResource('note://welcome')
      assert.deepEqual([contents?.uri, contents?.mimeType, contents?.text], ['note://welcome', 'text/plain', 'welcome'])
    },
  },
  {
    name: 'a binary resource is read byte for byte',
    async run({ client }) {
      const [contents] = await client.readResource('note://bytes')
      const bytes = Buffer.from(String(contents?.blob), 'base64')
      assert.equal(bytes.length, 256)
      assert.ok(bytes.every((byte, at) => byte === at))
    },
  },
  {
    name: 'an object is read as JSON',
    when: ({ server }) => server.maker === 'ours',
    async run({ client }) {
      const [contents] = await client.readResource('note://settings')
      assert.equal(contents?.mimeType, 'application/json')
      assert.deepEqual(JSON.parse(String(contents?.text)), { theme: 'dark' })
    },
  },
  {
    name: 'a template matches with and without its query, and decodes',
    async run({ client, server }) {
      const read = async (uri: string) => JSON.parse(String((await client.readResource(uri))[0]?.text))
      assert.deepEqual(await read('users://grace/profile?tab=posts'), { id: 'grace', tab: 'posts' })
      if (server.maker !== 'ours') return
      assert.deepEqual(await read('users://grace/profile'), { id: 'grace', tab: null })
      assert.deepEqual(await read('users://Ada%20L/profile'), { id: 'Ada L', tab: null })
    },
  },
  {
    name: 'a resource that does not exist has the error code of the revision',
    async run({ client, modern, server }) {
      for (const uri of ['note://nothing', ...(server.maker === 'ours' ? ['users://nobody/profile'] : [])]) {
        // The official client 2 shows the newer code whichever came.
        const newer = modern || client.maker === 'sdk-2'
        const codes = server.maker === 'ours' ? [newer ? -32602 : -32002] : [-32602, -32002]
        await assert.rejects(client.readResource(uri), (error) => codes.includes(Number(codeOf(error))))
      }
    },
  },
  {
    name: 'a result with a time to live is kept by the client, where the revision has that',
    when: ({ server }) => server.maker === 'ours',
    async run({ client, modern }) {
      const read = async () => Number((await client.readResource('note://cached'))[0]?.text)
      const first = await read()
      assert.equal(await read(), modern ? first : first + 1)
    },
  },
  {
    name: 'subscribe, updated, unsubscribe',
    when: ({ modern }) => !modern,
    async run({ client }) {
      await client.subscribe('note://welcome')
      client.heard.clear()
      await client.callTool('touch', { uri: 'note://settings' })
      await client.callTool('touch', { uri: 'note://welcome' })
      await client.heard.next('notifications/resources/updated', ({ uri }) => uri === 'note://welcome')
      assert.equal(client.heard.of('notifications/resources/updated').length, 1)
      await client.unsubscribe('note://welcome')
      client.heard.clear()
      await client.callTool('touch', { uri: 'note://welcome' })
      await client.ping()
      assert.equal(client.heard.of('notifications/resources/updated').length, 0)
    },
  },
  {
    name: 'subscriptions/listen: acknowledged filter, updated, list_changed, closed by the client',
    when: ({ modern }) => modern,
    async run({ client }) {
      const listening = await client.listen({ toolsListChanged: true, resourceSubscriptions: ['note://welcome'] })
      assert.equal(listening.honoured.toolsListChanged, true)
      assert.deepEqual(listening.honoured.resourceSubscriptions, ['note://welcome'])
      client.heard.clear()
      await client.callTool('touch', { uri: 'note://settings' })
      await client.callTool('grow', { kind: 'prompt' })
      await client.callTool('touch', { uri: 'note://welcome' })
      await client.callTool('grow', { kind: 'tool' })
      await client.heard.next('notifications/resources/updated', ({ uri }) => uri === 'note://welcome')
      await client.heard.next('notifications/tools/list_changed')
      assert.equal(client.heard.of('notifications/resources/updated').length, 1)
      assert.equal(client.heard.of('notifications/prompts/list_changed').length, 0)
      await listening.close()
      assert.equal(await listening.closed, 'local')
      await client.callTool('shrink', { kind: 'tool' })
      await client.callTool('shrink', { kind: 'prompt' })
    },
  },
  {
    name: 'list_changed for tools, prompts and resources, with the item there and then gone',
    async run({ client, modern }) {
      const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
      const listening = modern ? await client.listen(filter) : undefined
      for (const kind of ['tool', 'prompt', 'resource'] as const) {
        for (const step of ['grow', 'shrink'] as const) {
          client.heard.clear()
          await client.callTool(step, { kind })
          await client.heard.next(`notifications/${kind}s/list_changed`)
          const names = (await client.list(`${kind}s`)).map((item) => item.name)
          assert.equal(names.includes('grown'), step === 'grow', `${kind} after ${step}`)
        }
      }
      await listening?.close()
    },
  },
]
