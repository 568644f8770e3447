/** Two people who sign in to the same server from the chat, each as themselves; links and codes are nobody else's. */

import assert from 'node:assert/strict'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { requireBearer } from '@portico/sdk/bearer'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { freePort } from '../support/free-port.ts'
import { signIn } from '../support/person.ts'
import type { Trial } from '../support/suite.ts'
import type { SlackPerson } from './chat-people.ts'
import { type ChatPlace, inChat } from './chat-place.ts'
import { shownIn } from './chat-slack-blocks.ts'

const PASSWORDS = { ada: 'correct horse ada', ben: 'correct horse ben' } as const

async function serveDiary(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const [url, issuer] = [`http://127.0.0.1:${await freePort()}/mcp`, `http://127.0.0.1:${await freePort()}`]
  const issuing = await createAuthorizationServer({ issuer, users: PASSWORDS, resources: [url], scopes: [] }).listen()
  const whoami = tool({ description: 'Says who asks' }, (_args, ctx) => `You are ${ctx.principal?.id ?? 'nobody'}.`)
  const diary = createServer({ name: 'diary', version: '1.0.0', tools: { whoami } })
  const port = Number(new URL(url).port)
  const served = await serveHttp(diary, { port, auth: requireBearer({ issuer, resource: url }) })
  return {
    url,
    close: async () => {
      await served.close()
      await issuing.close()
    },
  }
}

export const signInTrial: Trial = {
  name: 'chat: each person signs in for themselves (sec-511)',
  long: true,
  async run() {
    const diary = await serveDiary()
    const script = {
      replies: [{ text: 'Hello.' }],
      topics: { 'who am I': [{ calls: [{ name: 'diary_whoami', arguments: {} }] }, { text: 'Now you know.' }] },
    }
    const rule = { id: 'diary', outcome: 'allow', effect: 'call', server: 'diary', evenIfTainted: true }
    const config = { policy: { rules: [rule] } }
    try {
      await inChat({ script, config, signIn: true, servers: { diary: { url: diary.url } } }, signInBoth)
    } finally {
      await diary.close()
    }
  },
}

async function signInBoth({ ada, ben, provider }: ChatPlace): Promise<void> {
  await Promise.all([connect(ada, ben, 'ada'), connect(ben, ada, 'ben')])
  const seen = async (person: SlackPerson): Promise<string> => {
    const { thread } = await person.say('who am I')
    await person.sees(thread, 'Now you know.')
    const own = provider.requests.findLast((one) => JSON.stringify(one.messages).includes('You are '))
    // The last: what the model is told first also says who it is.
    return [...JSON.stringify(own?.messages ?? []).matchAll(/You are [^"\\]*/g)].at(-1)?.[0] ?? ''
  }
  const [one, other] = [await seen(ada), await seen(ben)]
  assert.match(one, /ada/)
  assert.match(other, /ben/)
}

async function connect(person: SlackPerson, stranger: SlackPerson, name: keyof typeof PASSWORDS): Promise<void> {
  const { thread } = await person.say('hello')
  const offer = await person.sees(thread, 'wants you to sign in')
  assert.equal(offer.only, person.id)
  await stranger.press(offer, 'Sign in')
  await stranger.sees(thread, 'for somebody else')
  await person.press(offer, 'Sign in')
  const linked = await person.sees(thread, '/sign-in/')
  assert.equal(linked.only, person.id, 'the link is for the person alone')
  const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]+/.exec(shownIn(linked)) ?? []
  const page = await signIn(link, name, PASSWORDS[name])
  const [code = ''] = /\d{8}/.exec(page) ?? []
  assert.match(page, new RegExp(person.id))
  await person.press(linked, 'Enter the code')
  const wrong = await person.submit({ f0: { value: '00000000' } })
  assert.deepEqual(wrong, { response_action: 'errors', errors: { f0: 'This is not the code of the page.' } })
  await person.submit({ f0: { value: code } })
  await person.sees(thread, 'You are signed in')
}
