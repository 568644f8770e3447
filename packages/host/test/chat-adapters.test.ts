import { afterEach, describe, expect, it } from 'vitest'
import { createSlackAdapter } from '../src/chat/slack/slack-adapter.ts'
import { SlackApi } from '../src/chat/slack/slack-api.ts'
import { signSlack } from '../src/chat/slack/slack-signature.ts'
import { createWebhookAdapter } from '../src/chat/webhook/webhook-adapter.ts'
import { checkWebhook, signWebhook } from '../src/chat/webhook/webhook-signature.ts'
import { type AdapterWorld, describeAdapter } from './chat-adapter-contract.ts'

const SECRET = 'a secret of more than 24 characters'

/** What was sent to the chat, and what it answers next. */
class Sent {
  readonly bodies: { readonly [name: string]: unknown }[] = []
  readonly headers: Headers[] = []
  readonly answers: Response[] = []

  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const text = typeof init?.body === 'string' ? init.body : ''
    const method = url.pathname.split('/').at(-1) ?? ''
    const isJson = text.startsWith('{')
    this.headers.push(new Headers(init?.headers))
    const body = isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
    const answer = this.answers.shift()
    if (answer !== undefined) return answer
    this.bodies.push({ method, ...body })
    return Response.json({
      ok: true,
      team_id: 'T1',
      user_id: 'UBOT',
      ts: '1.2',
      upload_url: 'https://files.slack.com/up',
      file_id: 'F1',
      file: { url_private_download: 'https://files.slack.com/f' },
    })
  }
}

function slackWorld(): AdapterWorld {
  const sent = new Sent()
  const adapter = createSlackAdapter({ botToken: 'xoxb-1', signingSecret: SECRET, fetch: sent.fetch })
  const send = (path: string, body: string, at = Date.now(), secret = SECRET) => {
    const timestamp = String(Math.floor(at / 1000))
    const headers = {
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': signSlack(secret, timestamp, body),
    }
    return adapter.handle(new Request(`http://bot.invalid/slack/${path}`, { method: 'POST', headers, body }))
  }
  const event = (value: object) => JSON.stringify({ type: 'event_callback', team_id: 'T1', event: value })
  const interact = (value: object) =>
    new URLSearchParams({ payload: JSON.stringify({ user: { id: 'U1', team_id: 'T1' }, ...value }) }).toString()
  return {
    adapter,
    shown: () => JSON.stringify(sent.bodies.filter(({ method }) => method !== 'auth.test')),
    body: event({ type: 'app_mention', channel: 'C1', user: 'U1', ts: '1.1', text: '<@UBOT> hello' }),
    send: (body, at, secret) => send('events', body, at, secret),
    press: (button) =>
      send(
        'interactivity',
        interact({
          type: 'block_actions',
          trigger_id: 'x',
          channel: { id: 'C1' },
          container: { message_ts: '1.2', thread_ts: '1.1' },
          actions: [{ type: 'button', value: button }],
        }),
      ),
    submit: (form, value) =>
      send(
        'interactivity',
        interact({
          type: 'view_submission',
          view: { private_metadata: form, state: { values: { f0: { v: { value } } } } },
        }),
      ),
    remove: () =>
      send('events', event({ type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '1.1' })),
  }
}

function webhookWorld(): AdapterWorld {
  const sent = new Sent()
  const adapter = createWebhookAdapter({ url: 'https://chat.example/in', secret: SECRET, fetch: sent.fetch })
  let count = 0
  const send = (body: string, at = Date.now(), secret = SECRET, id = `id${++count}`) => {
    const headers = { ...signWebhook(secret, { id, at, body }) }
    return adapter.handle(new Request('http://bot.invalid/chat/events', { method: 'POST', headers, body }))
  }
  const place = { team: 'T1', channel: 'C1', thread: '1.1', person: { id: 'U1' } }
  const json = (value: object) => JSON.stringify({ ...place, ...value })
  return {
    adapter,
    shown: () => JSON.stringify(sent.bodies),
    body: json({ type: 'message', message: '1.1', text: 'hello', addressed: true }),
    send: (body, at, secret) => send(body, at, secret, `of-${body.length}-${at ?? 'now'}`),
    press: (button) => send(json({ type: 'pressed', button })),
    submit: (form, value) => send(json({ type: 'submitted', form, values: { name: value } })),
    remove: () => send(json({ type: 'deleted', message: '1.1' })),
  }
}

describeAdapter('Slack', slackWorld)
describeAdapter('a webhook', webhookWorld)

describe('the way to Slack', () => {
  const closing: SlackApi[] = []
  afterEach(() => {
    for (const api of closing.splice(0)) api.close()
  })
  const open = (sent: Sent): SlackApi => {
    const api = new SlackApi({ token: 'xoxb-1', fetch: sent.fetch })
    closing.push(api)
    return api
  }

  it('waits as long as Slack says, and asks again (sec-513)', async () => {
    const sent = new Sent()
    sent.answers.push(new Response(null, { status: 429, headers: { 'retry-after': '0.2' } }))
    const began = performance.now()
    await open(sent).call('chat.postMessage', { channel: 'C1' })
    expect(performance.now() - began).toBeGreaterThanOrEqual(190)
    expect(sent.bodies).toHaveLength(1)
  })

  it('posts nothing twice when it is not known whether it arrived', async () => {
    const sent = new Sent()
    sent.answers.push(new Response(null, { status: 502 }))
    await expect(open(sent).call('chat.postMessage', {})).rejects.toThrow('http_502')
    expect(sent.headers).toHaveLength(1)
  })

  it('sends again what a broken connection has swallowed', async () => {
    const sent = new Sent()
    let isBroken = true
    const breaking: typeof fetch = (input, init) => {
      if (!isBroken) return sent.fetch(input, init)
      isBroken = false
      return Promise.reject(new TypeError('fetch failed'))
    }
    const api = new SlackApi({ token: 'xoxb-1', fetch: breaking })
    closing.push(api)
    await api.call('chat.postMessage', { channel: 'C1' })
    expect(sent.bodies).toHaveLength(1)
  })

  it('host 25: says where it wanted to and why it did not get there, not that a fetch failed', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND slack.com'), { code: 'ENOTFOUND' })
    const away: typeof fetch = () => Promise.reject(new TypeError('fetch failed', { cause }))
    const call = new SlackApi({ token: 'xoxb-1', fetch: away, tries: 1 }).call('auth.test', {})
    await expect(call).rejects.toMatchObject({
      code: 'connect-failed',
      message: 'Slack could not be reached at slack.com: ENOTFOUND',
    })
  })

  it.each([
    'https://evil.example/f',
    'http://files.slack.com/f',
    'https://slack.com.evil.example/',
    'https://evilslack.com/',
    'file:///etc/passwd',
    'https://127.0.0.1/',
  ])('sends its token nowhere else: %s (sec-512)', async (url) => {
    const sent = new Sent()
    await expect(open(sent).download(url, 10, AbortSignal.timeout(1000))).rejects.toThrow('not Slack')
    await expect(open(sent).put(url, new Uint8Array())).rejects.toThrow('not Slack')
    expect(sent.headers).toEqual([])
  })

  it('ends a download that is larger than it may be (sec-509)', async () => {
    const sent = new Sent()
    sent.answers.push(new Response('x'.repeat(11)), new Response('x'.repeat(10)))
    const api = open(sent)
    await expect(api.download('https://files.slack.com/f', 10, AbortSignal.timeout(1000))).rejects.toThrow('larger')
    expect(await api.download('https://files.slack.com/f', 10, AbortSignal.timeout(1000))).toHaveLength(10)
  })
})

describe('what goes out by the webhook', () => {
  it('is signed so that the other side can check it, and is tried again under the same id (sec-510)', async () => {
    const sent = new Sent()
    sent.answers.push(new Response(null, { status: 429, headers: { 'retry-after': '0.05' } }))
    const adapter = createWebhookAdapter({ url: 'https://chat.example/in', secret: SECRET, fetch: sent.fetch })
    await adapter.post(
      { team: 'T1', channel: 'C1', thread: '', direct: false },
      { pieces: [{ kind: 'said', text: '\u202ehi' }] },
    )
    const [first, second] = sent.headers
    expect(first?.get('webhook-id')).toBe(second?.get('webhook-id'))
    const { method: _, ...body } = sent.bodies[0] ?? {}
    expect(checkWebhook(SECRET, second ?? new Headers(), JSON.stringify(body), Date.now())).toBeUndefined()
    expect(checkWebhook('another secret', second ?? new Headers(), JSON.stringify(body), Date.now())).toBeDefined()
    expect(body).toMatchObject({ text: '⟦U+202E⟧hi' })
  })
})
