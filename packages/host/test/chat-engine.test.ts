import { createServer, type Server, tool } from '@portico/sdk/server'
import { createMemoryStore } from '@portico/sdk/state'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ADA, BEN, type ChatLab, type ChatLabOptions, startChat, textOf, threadOf } from './chat-lab.ts'

const labs: ChatLab[] = []
const written: string[] = []

afterEach(async () => {
  await Promise.all(labs.splice(0).map((lab) => lab.close()))
  written.length = 0
})

/** Each person gets other data from it, and what is written is noted with whose host it came from. */
function notebook(person: { readonly id: string }): Server {
  return createServer({
    name: 'notes',
    version: '1.0.0',
    tools: {
      write: tool({ description: 'Writes', input: z.object({ text: z.string() }) }, ({ text }) => {
        written.push(`${person.id}: ${text}`)
        return `written by ${person.id}`
      }),
      secret: tool({ description: 'Gives what is private' }, () => `private of ${person.id}`),
      ask: tool({ description: 'Asks' }, async (_args, ctx) => {
        const answer = await ctx.elicit('who', {
          message: 'Who <!channel>?',
          form: { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] },
        })
        written.push(JSON.stringify(answer))
        return 'thanks'
      }),
      wait: tool({ description: 'Waits' }, async (_args, ctx) => {
        written.push('waits')
        await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
        return 'never'
      }),
      picture: tool({ description: 'Draws' }, () => ({
        content: [
          { type: 'image', data: Buffer.from([0x89, 0x50, 0x4e, 0x47, 1]).toString('base64'), mimeType: 'image/png' },
          { type: 'image', data: Buffer.from('<svg onload=x>').toString('base64'), mimeType: 'image/svg+xml' },
          { type: 'image', data: Buffer.from('<html>').toString('base64'), mimeType: 'image/png' },
        ],
      })),
    },
  })
}

const call = (name: string, args: { readonly [name: string]: unknown } = {}) => ({
  calls: [{ name: `notes_${name}`, arguments: args }],
})
const SCRIPT = {
  replies: [{ text: 'Hello there.' }],
  afterwards: 'Hello there.',
  topics: {
    'write it': [call('write', { text: 'a line' }), { text: 'It is written.' }],
    'tell me all': [call('secret'), { text: 'I have looked.' }],
    'ask me': [call('ask'), { text: 'I have asked.' }],
    'wait for it': [call('wait'), { text: 'Waited.' }],
    'draw it': [call('picture'), { text: 'Drawn.' }],
    'go on and on': [{ text: 'and on ', endless: true }],
    'two lines': [call('write', { text: 'one' }), call('write', { text: 'two' }), { text: 'Both.' }],
  },
}

async function lab(options: Partial<ChatLabOptions> = {}): Promise<ChatLab> {
  const started = await startChat({ servers: { notes: notebook }, script: SCRIPT, ...options })
  labs.push(started)
  return started
}

const ALLOW = { host: { rules: [{ id: 'all', outcome: 'allow', effect: ['call', 'flow'], evenIfTainted: true }] } }

describe('a host in a team chat', () => {
  it('answers in the thread, and goes on with the conversation of the person who writes', async () => {
    const { chat, provider } = await lab()
    await chat.say(ADA, 'hello')
    await chat.untilText('Hello there.')
    await chat.say(ADA, 'and again')
    await chat.until(() => provider.requests.length === 2, 'a second request')
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('hello')
    expect(chat.posts.every(({ thread }) => thread.thread === 'th')).toBe(true)
  })

  it('asks with buttons for the person alone: a click of somebody else is refused and said to them alone (sec-501)', async () => {
    const { chat } = await lab()
    await chat.say(ADA, 'write it')
    const allow = await chat.waitForButton('Allow')
    const before = chat.text
    expect(chat.text).toContain('Call "write" of "notes"?')
    expect(chat.text).toContain('"text": "a line"')
    await chat.press(BEN, allow)
    expect(chat.toldTo(BEN)).toContain('for somebody else')
    expect(chat.toldTo(ADA)).toBe('')
    expect(chat.text).toBe(before)
    expect(written).toEqual([])
    await chat.press(ADA, allow)
    await chat.untilText('It is written.')
    expect(written).toEqual(['U1ADA: a line'])
    await chat.press(ADA, allow)
    expect(chat.toldTo(ADA)).toContain('no longer waits')
    expect(written).toHaveLength(1)
  })

  it('takes no answer under an id that was made up, and shows what is approved with its digest (sec-501, sec-502)', async () => {
    const { chat, hosts } = await lab()
    await chat.say(ADA, 'write it')
    await chat.waitForButton('Allow')
    const [question] = hosts.get(ADA.id)?.inbox.pending() ?? []
    await chat.press(ADA, question?.id ?? '')
    await chat.press(ADA, 'allow')
    expect(chat.text).toMatch(/Digest [0-9a-f]{16}/)
    expect(written).toEqual([])
    await chat.press(ADA, (await chat.waitForButton('Deny')) ?? '')
    await chat.untilText('It is written.')
    expect(written).toEqual([])
  })

  it('keeps two people in one thread apart: hosts, approvals, and what tools gave each (sec-503)', async () => {
    const { chat, provider, hosts } = await lab(ALLOW)
    await Promise.all([chat.say(ADA, 'tell me all'), chat.say(BEN, 'tell me all')])
    await chat.until(
      () => chat.posts.filter(({ message }) => textOf(message).includes('I have looked.')).length === 2,
      'two answers',
    )
    await chat.say(BEN, 'what did the tools say?')
    const asked = () =>
      provider.requests.find(({ messages }) => JSON.stringify(messages).includes('what did the tools'))
    await chat.until(() => asked() !== undefined, 'the last question')
    const last = JSON.stringify(asked()?.messages)
    expect(last).toContain('private of U2BEN')
    expect(last).not.toContain('private of U1ADA')
    // What all can read, all may use.
    expect(last).toContain('What others said in this thread')
    expect(hosts.size).toBe(2)
  })

  it('asks a form in a form, checks what was typed, and shows it to nobody else (sec-501)', async () => {
    const { chat } = await lab(ALLOW)
    await chat.say(ADA, 'ask me')
    const answer = await chat.waitForButton('Answer')
    await chat.press(BEN, answer)
    expect(chat.forms).toEqual([])
    await chat.press(ADA, answer)
    const form = chat.forms[0]?.id ?? ''
    const send = (person: typeof ADA, age: string) => chat.sink.submitted({ form, person, values: { age } })
    expect(await send(BEN, '3')).toEqual({ age: expect.stringContaining('somebody else') })
    expect(await send(ADA, 'x')).toEqual({ age: 'This must be a whole number.' })
    expect(await send(ADA, '36')).toBeUndefined()
    await chat.untilText('I have asked.')
    expect(written.join()).toContain('"age":36')
  })

  it('ends a turn when its message is deleted, and says that an edit comes too late (sec-504)', async () => {
    const { chat } = await lab(ALLOW)
    const message = await chat.say(ADA, 'wait for it')
    await chat.until(() => written.includes('waits'), 'the call')
    await chat.sink.changed({ team: 'T1', channel: 'C1', message, text: 'something else' })
    expect(chat.toldTo(ADA)).toContain('I answer it as it was')
    await chat.sink.changed({ team: 'T1', channel: 'C1', message })
    await chat.untilText('Cancelled: the message was deleted.')
  })

  it('takes an edit, and a deletion, of what has not begun (sec-504)', async () => {
    const { chat, provider } = await lab(ALLOW)
    const first = await chat.say(ADA, 'wait for it')
    await chat.until(() => written.includes('waits'), 'the call')
    const second = await chat.say(ADA, 'old words')
    const third = await chat.say(ADA, 'never said')
    await chat.sink.changed({ team: 'T1', channel: 'C1', message: second, text: 'new words' })
    await chat.sink.changed({ team: 'T1', channel: 'C1', message: third })
    await chat.sink.changed({ team: 'T1', channel: 'C1', message: first })
    await chat.untilText('Hello there.')
    const all = JSON.stringify(provider.requests)
    expect(all).toContain('new words')
    expect(all).not.toMatch(/old words|never said/)
  })

  it('bounds what waits of one person and in a channel, tells each once, and answers others (sec-505)', async () => {
    const settings = { channels: { C1: {} }, limits: { perPerson: 2, perChannel: 4 } }
    const { chat, provider } = await lab({ ...ALLOW, settings })
    await chat.say(ADA, 'wait for it')
    await chat.until(() => written.includes('waits'), 'the call')
    await Promise.all(Array.from({ length: 50 }, (_, at) => chat.say(ADA, `flood ${at}`, { thread: `t${at}` })))
    expect(chat.whispers.filter(({ to }) => to.id === ADA.id)).toHaveLength(1)
    const message = await chat.say(ADA, 'flood too many', { thread: 'late' })
    await chat.say(BEN, 'hello')
    await chat.until(
      () => chat.posts.filter(({ message }) => textOf(message).includes('Hello there.')).length === 2,
      'others',
    )
    const floods = JSON.stringify(provider.requests).match(/flood \d+/g) ?? []
    expect(new Set(floods).size).toBe(1)
    await chat.press(ADA, await chat.waitForButton('Stop'))
    await chat.untilText('Stopped.')
    // A chat that tells of the same message again does not bring it back.
    await chat.say(ADA, 'flood too many', { thread: 'late', message })
    await chat.say(ADA, 'hello', { thread: 'last' })
    await chat.until(() => JSON.stringify(provider.requests.at(-1)).includes('"hello"'), 'the last')
    expect(JSON.stringify(provider.requests)).not.toContain('too many')
  })

  it.each([
    ['turns', { turns: 1 }, 'hello', 'messages'],
    ['calls', { calls: 1 }, 'two lines', 'tool calls'],
    ['tokens', { tokens: 20 }, 'two lines', 'tokens'],
    ['money', { cost: 2 }, 'two lines', 'money'],
  ] as const)('holds a channel to its budget of %s (sec-506)', async (_, budget, text, word) => {
    const { chat } = await lab({ ...ALLOW, settings: { channels: { C1: { budget } } } })
    await chat.say(ADA, text)
    await chat.until(() => /Hello there\.|used up/.test(chat.text), 'an end')
    await chat.say(BEN, text, { thread: 'other' })
    await chat.until(() => chat.toldTo(BEN).includes(`used up its ${word}`), 'the refusal')
    expect(written.length).toBeLessThanOrEqual(1)
  })

  it('answers only where and whom it may, and nobody of another workspace (sec-507)', async () => {
    const { chat } = await lab({ settings: { channels: {}, direct: false } })
    await chat.say(ADA, 'hello')
    await chat.say(ADA, 'hello', { direct: true })
    expect(chat.toldTo(ADA)).toContain('I do not answer in this channel')
    const open = await lab({ settings: { channels: { '*': {} }, people: [ADA.id] } })
    await open.chat.say(BEN, 'hello')
    await open.chat.say({ team: 'T9', id: ADA.id }, 'hello', { thread: 'x' })
    expect(open.chat.toldTo(BEN)).toContain('I do not answer people of other workspaces')
    expect(open.chat.posts).toEqual([])
    expect(open.hosts.size).toBe(0)
  })

  it('runs a message that is delivered twice once (sec-508)', async () => {
    const { chat } = await lab(ALLOW)
    await Promise.all([1, 2, 3].map(() => chat.say(ADA, 'write it', { message: 'same' })))
    await chat.untilText('It is written.')
    await chat.say(ADA, 'write it', { message: 'same' })
    expect(written).toHaveLength(1)
  })

  it('tells nobody that a message was left out which was taken up when the chat told of it first (sec-505)', async () => {
    const settings = { channels: { C1: {} }, limits: { perPerson: 1 } }
    const { chat } = await lab({ ...ALLOW, settings })
    await chat.say(ADA, 'wait for it', { message: 'same' })
    await chat.until(() => written.includes('waits'), 'the call')
    await chat.say(ADA, 'wait for it', { message: 'same' })
    expect(chat.whispers).toEqual([])
    await chat.say(ADA, 'hello', { message: 'other' })
    expect(chat.toldTo(ADA)).toContain('more than I can take')
  })

  it('does not answer what is older than it remembers: a replay of it could not be told from the first (sec-606)', async () => {
    const { chat } = await lab(ALLOW)
    const day = 24 * 3_600_000
    await chat.say(ADA, 'write it', { at: Date.now() - day - 1_000 })
    await chat.say(BEN, 'write it', { thread: 'other', at: Date.now() - day + 60_000 })
    await chat.untilText('It is written.')
    expect(written).toEqual(['U2BEN: a line'])
  })

  it('tells the thread what another process has left in the middle, and does it no second time (sec-508)', async () => {
    const store = createMemoryStore()
    const gone = JSON.stringify(['elsewhere', 1, 'x'])
    const { sha256 } = await import('../src/audit/canonical.ts')
    const turn = { owner: gone, thread: threadOf('th'), person: ADA, message: 'lost', begun: true, answer: 'm0' }
    const key = (kind: string) => `chat/fake/${kind}/${sha256(JSON.stringify(['T1', 'C1', 'lost']))}`
    await store.write([
      { key: key('turn'), value: JSON.stringify(turn) },
      { key: key('seen'), value: '1' },
    ])
    const { chat } = await lab({ ...ALLOW, store })
    expect(chat.text).toContain('restarted in the middle of this')
    await chat.say(ADA, 'write it', { message: 'lost' })
    await chat.say(ADA, 'hello')
    await chat.untilText('Hello there.')
    expect(written).toEqual([])
    expect(chat.text.match(/restarted/g)).toHaveLength(1)
  })

  it('keeps conversations over a restart', async () => {
    const store = createMemoryStore()
    const one = await lab({ store })
    await one.chat.say(ADA, 'remember the lamp')
    await one.chat.untilText('Hello there.')
    await one.engine.close()
    const two = await lab({ store })
    await two.chat.say(ADA, 'what did I say?', { message: 'another' })
    await two.chat.untilText('Hello there.')
    expect(JSON.stringify(two.provider.requests[0]?.messages)).toContain('remember the lamp')
  })

  it('reads files within bounds, and shows files of tools that are what they claim to be (sec-509)', async () => {
    const { chat, provider } = await lab({ ...ALLOW, settings: { channels: { C1: {} }, limits: { fileBytes: 100 } } })
    const file = (id: string, mimeType: string, bytes = 5) => ({ id, name: `${id}.bin`, mimeType, bytes })
    chat.contents.set('good', new TextEncoder().encode('the plan'))
    chat.contents.set('fake', new TextEncoder().encode('no picture'))
    const files = [
      file('good', 'text/plain'),
      file('fake', 'image/png'),
      file('run', 'application/x-sh'),
      file('big', 'text/plain', 101),
    ]
    await chat.say(ADA, 'draw it', { files })
    await chat.untilText('Drawn.')
    expect(JSON.stringify(provider.requests[0]?.messages)).toContain('the plan')
    for (const words of ['fake.bin: it is not what', 'run.bin: it is of a kind', 'big.bin: it is larger']) {
      expect(chat.toldTo(ADA)).toContain(words)
    }
    await chat.untilText('2 files of the tools')
    expect(chat.uploads.map(({ name }) => name)).toEqual(['notes_picture.png'])
  })

  it('stops at the button, for the person who asked alone (sec-501)', async () => {
    const { chat } = await lab()
    await chat.say(ADA, 'go on and on')
    const stop = await chat.waitForButton('Stop', 'and on')
    await chat.press(BEN, stop)
    expect(chat.toldTo(BEN)).toContain('for somebody else')
    await chat.press(ADA, stop)
    await chat.untilText('Stopped.')
  })
})
