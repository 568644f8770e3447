/** A new host that is spoken to at once: how long until its model is asked, with the tools of all live servers. */

import { createScriptedModel, Models } from '@portico/host/model'
import { announceTimed } from '../control.ts'
import { createLineUp, timeHost } from './line-up.ts'

const lineUp = await createLineUp()

announceTimed(async () => {
  const script = createScriptedModel({ replies: [{ text: 'Nothing to do.' }] })
  const models = new Models({ env: {}, ollama: false })
  const asked = new Promise<void>((resolve, reject) => {
    models.add({ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: 'http://model.invalid' }, (url, init) => {
      const { tools = [] } = JSON.parse(String(init?.body)) as { tools?: readonly { function: { name: string } }[] }
      const servers = new Set(tools.map((tool) => tool.function.name.split('_', 1)[0]))
      if (servers.size === lineUp.live) resolve()
      else reject(new Error(`the model was given the tools of ${servers.size} servers`))
      return script.fetch(url, init)
    })
  })
  return timeHost(lineUp, { models }, async (host) => {
    void host.converse({ session: 'first' }).send('What can you do?', () => {})
    await asked
  })
})
