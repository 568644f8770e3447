/** What every chat behind the engine has to hold, whatever its wire. */

import { describe, expect, it } from 'vitest'
import type { ChatAdapter, ChatSink, ChatThread } from '../src/chat/engine/adapter.ts'

/** An adapter with both ends of its wire. */
export interface AdapterWorld {
  readonly adapter: ChatAdapter
  /** All that was sent to the chat, as one text. */
  shown(): string
  /** A message of U1 in C1 that says hello. */
  readonly body: string
  /** Sends a body as the chat would, or at another time, or signed by somebody else. */
  send(body: string, at?: number, secret?: string): Promise<Response | undefined>
  press(button: string): Promise<Response | undefined>
  submit(form: string, value: string): Promise<Response | undefined>
  remove(): Promise<Response | undefined>
}

const THREAD: ChatThread = { team: 'T1', channel: 'C1', thread: '1.1', direct: false }
const PERSON = { team: 'T1', id: 'U1' }
const HOSTILE = '<!channel> <@U2> <https://evil.example|x> \u202e'

class Recorder implements ChatSink {
  readonly events: { readonly type: string; readonly event: object }[] = []
  readonly #seen = new Set<string>()

  async said(event: object): Promise<void> {
    this.events.push({ type: 'said', event })
  }
  async changed(event: object): Promise<void> {
    this.events.push({ type: 'changed', event })
  }
  async pressed(event: object): Promise<void> {
    this.events.push({ type: 'pressed', event })
  }
  async submitted(event: object): Promise<{ readonly name: string } | undefined> {
    this.events.push({ type: 'submitted', event })
    return JSON.stringify(event).includes('wrong') ? { name: 'not so' } : undefined
  }
  async once(key: string): Promise<boolean> {
    const isNew = !this.#seen.has(key)
    this.#seen.add(key)
    return isNew
  }
}

async function begin(world: () => AdapterWorld): Promise<{ readonly at: AdapterWorld; readonly sink: Recorder }> {
  const at = world()
  const sink = new Recorder()
  await at.adapter.start(sink)
  return { at, sink }
}

export function describeAdapter(name: string, world: () => AdapterWorld): void {
  describe(`${name} as a chat`, () => {
    it('brings a message, a click, a form and a deletion, as whose they are', async () => {
      const { at, sink } = await begin(world)
      const form = {
        id: 'form',
        title: 'Form',
        note: [],
        fields: [{ name: 'name', label: 'Name', kind: 'text', required: true } as const],
      }
      await at.adapter.openForm({ button: 'b', person: PERSON, thread: THREAD, opener: 'x' }, form)
      expect((await at.send(at.body))?.status).toBe(200)
      expect((await at.press('opaque'))?.status).toBe(200)
      expect(await (await at.submit('form', 'wrong'))?.text()).toContain('not so')
      await at.submit('form', 'right')
      await at.remove()
      expect(sink.events).toMatchObject([
        { type: 'said', event: { text: 'hello', person: PERSON, thread: THREAD, message: '1.1', addressed: true } },
        { type: 'pressed', event: { button: 'opaque', person: PERSON, thread: THREAD } },
        { type: 'submitted', event: { form: 'form', values: { name: 'wrong' } } },
        { type: 'submitted', event: { form: 'form', values: { name: 'right' }, person: PERSON } },
        { type: 'changed', event: { team: 'T1', channel: 'C1', message: '1.1' } },
      ])
    })

    it.each([
      ['by somebody else', (at: AdapterWorld) => at.send(at.body, Date.now(), 'another secret that is long')],
      ['too long ago', (at: AdapterWorld) => at.send(at.body, Date.now() - 301_500)],
      ['in the future', (at: AdapterWorld) => at.send(at.body, Date.now() + 302_000)],
    ])('believes nothing that was signed %s (sec-510)', async (_, send) => {
      const { at, sink } = await begin(world)
      expect((await send(at))?.status).toBe(401)
      expect(sink.events).toEqual([])
    })

    it('takes what is just recent enough, and the same request once (sec-510)', async () => {
      const { at, sink } = await begin(world)
      const then = Date.now() - 290_000
      await at.send(at.body, then)
      await at.send(at.body, then)
      expect(sink.events).toHaveLength(1)
    })

    it('refuses what it cannot read, and what comes while it ends', async () => {
      const { at, sink } = await begin(world)
      for (const body of ['', '[]', '{"type":{}}', 'null', '{"event":7}']) {
        expect((await at.send(body))?.status).toBeLessThan(500)
      }
      expect(sink.events).toEqual([])
      await at.adapter.close()
      expect((await at.send(at.body))?.status).toBe(503)
    })

    it('shows what it is given, all of it, with nothing hidden in it (sec-500)', async () => {
      const { at } = await begin(world)
      const message = {
        pieces: [{ kind: 'said', text: HOSTILE } as const],
        buttons: [{ id: 'opaque', label: HOSTILE }],
      }
      await at.adapter.post(THREAD, message)
      await at.adapter.edit(THREAD, '1.2', message)
      await at.adapter.whisper(THREAD, PERSON, message)
      const text = at.shown()
      expect(text.match(/opaque/g)).toHaveLength(3)
      expect(text).toContain('⟦U+202E⟧')
      expect(text).not.toMatch(/\u202e/)
    })
  })
}
