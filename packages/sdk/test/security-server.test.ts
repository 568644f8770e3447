/**
 * Security requirements that bind a server whatever carries its messages, held on every way in. What belongs to one
 * transport alone is tested with that transport; what belongs to none, in `security-rows.test.ts`.
 */

import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { ENVELOPE, type Heard, type Json, type Line, MODERN, type Place, WAYS, type Way } from './limits-ways.ts'

/** Lets the test say when a handler goes on, and see what it was given. */
class Subject {
  readonly server: Server
  readonly seen: unknown[] = []
  begun: Promise<void>
  release: () => void = () => {}
  #begin: () => void = () => {}

  constructor() {
    const released = new Promise<void>((resolve) => {
      this.release = resolve
    })
    this.begun = new Promise((resolve) => {
      this.#begin = resolve
    })
    this.server = createServer({
      name: 'subject',
      version: '1',
      onError: () => {},
      tools: {
        take: tool({ input: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } }, (args) => {
          this.seen.push(args)
          return 'taken'
        }),
        wait: tool({}, async (_args, ctx) => {
          await ctx.progress(1)
          this.#begin()
          await released
          await ctx.progress(2)
          return 'waited'
        }),
        steps: tool({}, async (_args, ctx) => {
          for (const step of [1, 3, 2, 3, Number.NaN, 4]) await ctx.progress(step)
          setImmediate(() => ctx.progress(5))
          return 'stepped'
        }),
        ask: tool({}, async (_args, ctx) => {
          const answer = await ctx.elicit({ message: 'Who?', form: z.object({ name: z.string() }) })
          return answer.action === 'accept' ? answer.content.name : answer.action
        }),
        sample: tool({}, async (_args, ctx) => (await ctx.sample({ prompt: 'Say' })).model),
        crash: tool({}, () => {
          throw new Error('password hunter2 in /srv/secret.ts')
        }),
        secret: tool({ visible: (principal) => principal?.id === 'ada' }, () => 'seen'),
      },
      prompts: { greet: prompt({}, () => 'Hello') },
      resources: { one: resource({ uri: 'mem://one/{id}' }, ({ id }) => (id === '1' ? 'one' : undefined)) },
    })
  }
}

const places: Place[] = []
let subject: Subject
afterEach(async () => {
  subject.release()
  await Promise.all(places.splice(0).map((place) => place.close()))
})

async function serve(way: Way): Promise<Place> {
  subject = new Subject()
  const place = await way.open(subject.server)
  places.push(place)
  return place
}

const call = (line: Line, name: string, more: Json = {}, id?: string | number) =>
  line.modern('tools/call', { name, arguments: {}, ...more }, id)

/** What is said in answer to an id must not depend on what id it is. */
const withoutId = ({ message, status }: Heard) => ({ ...message, id: 0, status })

describe.each(WAYS)('over $name', (way) => {
  const carried = (status: number) => (way.name === 'http+sse' ? 202 : way.http ? status : undefined)

  it.each(['__proto__', 'constructor', 'toString', 'tools/none', ''])(
    'a method that there is not (%j) is -32601, over HTTP 404 (sec-25)',
    async (method) => {
      const line = await (await serve(way)).line()
      const { message, status } = await line.modern(method)
      expect([message.error.code, status]).toEqual([-32601, carried(404)])
    },
  )

  it('answers of a client are dropped in the newest revision, and the server asks nothing live (sec-9, sec-41)', async () => {
    const line = await (await serve(way)).line()
    const asked = (await call(line, 'ask')).message.result
    expect(asked.resultType).toBe('input_required')
    const [key = ''] = Object.keys(asked.inputRequests)
    const answer = { id: key, result: { action: 'accept', content: { name: 'Eve' } } }
    const status = await line.tell(answer, { 'mcp-protocol-version': MODERN })
    if (way.http && way.name !== 'http+sse') expect(status).toBe(400)
    expect((await call(line, 'ask')).message.result.resultType).toBe('input_required')
    expect(line.notices.filter((notice) => 'id' in notice)).toEqual([])
  })

  it('a batch is refused by every revision that has none (sec-8)', async () => {
    const place = await serve(way)
    for (const version of ['2025-06-18', '2025-11-25']) {
      // One connection is one session, and standard streams are one connection.
      if (way.name === 'stdio' && version === '2025-11-25') continue
      const line = await place.line()
      await line.initialize(version)
      const { message, status } = await line.say('[{"jsonrpc":"2.0","id":7,"method":"ping"}]')
      expect([message.result, message.error.code, status]).toEqual([undefined, -32600, carried(400)])
    }
  })

  it.each([null, 1.5, true, {}, [1]])('an id that is %j is refused, and nothing runs (sec-137)', async (id) => {
    const line = await (await serve(way)).line()
    const params = { name: 'take', arguments: { n: 1 }, _meta: ENVELOPE }
    const { message, status } = await line.say(
      JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params }).replace('{', `{"id":${JSON.stringify(id)},`),
    )
    expect([message.error.code, message.id ?? undefined, status]).toEqual([-32600, undefined, carried(400)])
    expect(subject.seen).toEqual([])
  })

  it('an id that is under way harms nobody (sec-137, sec-140)', async () => {
    const place = await serve(way)
    const line = await place.line()
    const first = call(line, 'wait', {}, 'same')
    await subject.begun
    const other = way.http && way.name !== 'http+sse' ? await place.line() : line
    if (other === line) {
      // The second has the same id, so whichever answer comes is caught by it; it must be the refusal.
      const { message } = await call(line, 'take', { arguments: { n: 1 } }, 'same')
      expect(message.error.code).toBe(-32600)
      expect(subject.seen).toEqual([])
      subject.release()
      await line.modern('tools/list')
    } else {
      // Over HTTP, equal ids in two requests are unrelated.
      expect((await call(other, 'take', { arguments: { n: 1 } }, 'same')).message.result).toBeDefined()
      subject.release()
      expect((await first).message.result.content[0].text).toBe('waited')
    }
  })

  it('a request is never completed from an earlier one (sec-140, sec-142)', async () => {
    const line = await (await serve(way)).line()
    expect((await line.modern('tools/list')).message.result).toBeDefined()
    const bare = await line.request('tools/list', {})
    expect([bare.message.result, bare.message.error.code]).toEqual([undefined, -32600])
    const { 'io.modelcontextprotocol/protocolVersion': version } = ENVELOPE
    const half = await line.request('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': version } })
    expect([half.message.error.code, half.status]).toEqual([-32602, carried(400)])
  })

  it('a question that the client did not declare is -32021 and not asked (sec-142, sec-151)', async () => {
    const line = await (await serve(way)).line()
    const { message, status } = await call(line, 'sample')
    expect([message.error.code, status]).toEqual([-32021, carried(400)])
  })

  const hostile = [
    { name: 'a missing argument', args: '{}' },
    { name: 'an argument of the wrong type', args: '{"n":"1"}' },
    { name: 'an argument by way of the prototype', args: '{"__proto__":{"n":1}}' },
    { name: 'an argument by way of the constructor', args: '{"constructor":{"prototype":{"n":1}}}' },
  ]
  it.each(hostile)('$name does not reach the handler (sec-122)', async ({ args }) => {
    const line = await (await serve(way)).line()
    const meta = JSON.stringify(ENVELOPE)
    const { message } = await line.say(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"take","arguments":${args},"_meta":${meta}}}`,
    )
    expect(message.result.isError).toBe(true)
    expect([subject.seen, 'n' in {}]).toEqual([[], false])
  })

  it('what a principal may not see it cannot list or call, and is told the same as of nothing (sec-123)', async () => {
    const place = await serve(way)
    const names = async (line: Line) =>
      (await line.modern('tools/list')).message.result.tools.map((one: Json) => one.name)
    const eve = await place.line('eve')
    expect(await names(eve)).not.toContain('secret')
    const hidden = withoutId(await call(eve, 'secret'))
    const unknown = withoutId(await call(eve, 'nosuch'))
    expect(JSON.stringify(hidden)).toBe(JSON.stringify(unknown).replaceAll('nosuch', 'secret'))
    if (!way.named) return
    const ada = await place.line('ada')
    expect(await names(ada)).toContain('secret')
    expect((await call(ada, 'secret')).message.result.content[0].text).toBe('seen')
  })

  it('a list is the same, in the same order, on every connection (sec-128)', async () => {
    const place = await serve(way)
    const first = await place.line()
    const second = way.name === 'stdio' ? first : await place.line()
    const lists = await Promise.all([first, second].map((line, at) => line.modern('tools/list', {}, `list ${at}`)))
    expect(withoutId(lists[0] as Heard)).toEqual(withoutId(lists[1] as Heard))
  })

  it('a failure tells a reference and nothing of the inside (sec-125, sec-135)', async () => {
    const line = await (await serve(way)).line()
    const text = JSON.stringify((await call(line, 'crash')).message)
    expect(text).toContain('Reference: ')
    expect(text).not.toMatch(/hunter2|secret\.ts/)
  })

  it.each(['mem://one/2', 'mem://two', 'mem://one/../../etc/passwd', 'file:///etc/passwd'])(
    'the resource %s, which is not there, is an error and never empty (sec-131, sec-132)',
    async (uri) => {
      const line = await (await serve(way)).line()
      const { message } = await line.modern('resources/read', { uri })
      expect([message.result, message.error.code]).toEqual([undefined, -32602])
    },
  )

  it.each(['forged', '__proto__', 'x'.repeat(5000)])(
    'a cursor that was not given (%.10j) is -32602 (sec-136)',
    async (cursor) => {
      const line = await (await serve(way)).line()
      const { message } = await line.modern('tools/list', { cursor })
      expect(message.error.code).toBe(-32602)
    },
  )

  it('progress moves forward, under its token, and stops with the answer (sec-10, sec-149)', async () => {
    const line = await (await serve(way)).line()
    const { message } = await call(line, 'steps', { _meta: { progressToken: 'mine' } })
    expect(message.result.content[0].text).toBe('stepped')
    await call(line, 'steps')
    await line.modern('tools/list')
    const progress = line.notices.filter(({ method }) => method === 'notifications/progress')
    expect(progress.map(({ params }) => [params.progressToken, params.progress])).toEqual([
      ['mine', 1],
      ['mine', 3],
      ['mine', 4],
    ])
  })

  it('after a cancellation nothing more comes for the request (sec-15, sec-42)', async () => {
    const place = await serve(way)
    const line = await place.line()
    const answers: unknown[] = []
    call(line, 'wait', { _meta: { progressToken: 'p' } }, 'doomed').then(
      (heard) => answers.push(heard),
      () => {},
    )
    await line.notice(({ method }) => method === 'notifications/progress')
    const isHttp = way.http && way.name !== 'http+sse'
    if (isHttp) line.hangUp()
    else await line.tell({ method: 'notifications/cancelled', params: { requestId: 'doomed' } })
    const next = isHttp ? await place.line() : line
    await next.modern('tools/list')
    subject.release()
    // Answered after all that the released handler could have sent.
    await next.modern('tools/list')
    expect(answers).toEqual([])
    expect(line.notices.filter(({ method }) => method === 'notifications/progress')).toHaveLength(1)
  })

  it('cancelling what is unknown, over or cancelled does nothing (sec-148)', async () => {
    const line = await (await serve(way)).line()
    await line.initialize('2025-11-25')
    await line.request('ping', {}, 'done')
    for (const requestId of ['never', 'done', 'done', null, '__proto__', { a: 1 }]) {
      await line.tell({ method: 'notifications/cancelled', params: { requestId } })
    }
    await line.tell({ method: 'notifications/cancelled' })
    expect((await line.request('ping')).message.result).toEqual({})
  })

  it('a listener hears the acknowledgement first, then what it asked for, under its id, and its end (sec-155, sec-156)', async () => {
    const place = await serve(way)
    const line = await place.line()
    const ended = line.modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'ear')
    await line.notice(({ method }) => method === 'notifications/subscriptions/acknowledged')
    subject.server.changed('prompts')
    subject.server.changed('tools')
    await line.notice(({ method }) => method === 'notifications/tools/list_changed')
    await place.close()
    expect((await ended).message.result.resultType).toBe('complete')
    expect(line.notices.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
    for (const { params } of line.notices) {
      expect(params._meta['io.modelcontextprotocol/subscriptionId']).toBe('ear')
    }
  })

  it('state is good for the one who got it, once unaltered, and everybody else hears the same (sec-36, sec-37, sec-152, sec-153)', async () => {
    const place = await serve(way)
    const ada = await place.line('ada')
    const { requestState } = (await call(ada, 'ask')).message.result
    const inputResponses = { elicitation_1: { action: 'accept', content: { name: 'Ada' } } }
    const present = async (line: Line, state: string) =>
      withoutId(await call(line, 'ask', { inputResponses, requestState: state }))
    const invented = await present(ada, 'x'.repeat(requestState.length))
    expect(invented).toMatchObject({ error: { code: -32602 } })
    for (const at of [0, requestState.length >> 1, requestState.length - 2]) {
      const altered = requestState.slice(0, at) + (requestState[at] === 'A' ? 'B' : 'A') + requestState.slice(at + 1)
      expect(await present(ada, altered)).toEqual(invented)
    }
    if (way.named) expect(await present(await place.line('eve'), requestState)).toEqual(invented)
    expect(await present(ada, requestState)).toMatchObject({ result: { content: [{ text: 'Ada' }] } })
  })
})

describe('a session of another principal', () => {
  it.each(['http', 'fetch', 'http+sse'])('answers on %s like one that never was (sec-32, sec-35)', async (name) => {
    const way = WAYS.find((one) => one.name === name) as Way
    const place = await serve(way)
    const ada = await place.line('ada')
    await ada.initialize('2025-11-25')
    const eve = await place.line('eve')
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    if (name === 'http+sse') {
      const post = async (url: string) => {
        const headers = { 'content-type': 'application/json', authorization: 'eve' }
        const response = await fetch(url, { method: 'POST', headers, body: ping })
        return [response.status, await response.text()]
      }
      const refused = await post(ada.address)
      expect(refused).toEqual(await post(ada.address.replace(/session=./, 'session=0').replace(/.$/, 'f')))
      expect(refused[0]).toBe(404)
      return
    }
    const refused = await eve.say(ping, { 'mcp-session-id': ada.session })
    const unknown = await eve.say(ping, { 'mcp-session-id': '0'.repeat(ada.session.length) })
    expect(withoutId(refused)).toEqual(withoutId(unknown))
    expect(refused.status).toBe(404)
    expect((await eve.say(ping)).status).toBe(400)
  })
})
