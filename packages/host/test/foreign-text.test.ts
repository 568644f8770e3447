/** The one gate for foreign text, from a server to a model: what was said, how it is labelled, and where it may go. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer, prompt, RpcError, resource, type Server, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { HostError } from '../src/errors.ts'
import type { SavedConversation } from '../src/model/conversation.ts'
import { callOf, type HostLab, type HostLabOptions, startHost, takeTurn } from './host-lab.ts'

const SECRET = 'ZEBRA-7781-QUEBEC'
const HOSTILE = `\u001b[31m\u202e${SECRET}\u200b`

let labs: HostLab[] = []
afterEach(async () => {
  for (const lab of labs) await lab.close()
  labs = []
})

const sent: unknown[] = []

/** Gives its secret in whatever way is asked for. */
function createSource(about: { instructions?: string; description?: string; tool?: string } = {}): Server {
  return createServer({
    name: 'source',
    version: '1.0.0',
    ...(about.instructions !== undefined && { instructions: about.instructions }),
    tools: {
      ...(about.tool !== undefined && { [about.tool]: tool({ input: { type: 'object' } }, () => 'ok') }),
      tell: tool({ description: about.description ?? 'Tells', input: { type: 'object' } }, () => HOSTILE),
      fail: tool({ description: 'Fails', input: { type: 'object' } }, () => {
        throw new RpcError(-32000, `It failed: ${HOSTILE}`, { hint: HOSTILE })
      }),
      structured: tool({ description: 'Answers', input: { type: 'object' } }, () => ({
        content: [],
        structuredContent: { [HOSTILE]: [HOSTILE] },
      })),
      link: tool({ description: 'Links', input: { type: 'object' } }, () => ({
        content: [
          { type: 'resource_link', uri: `x://${HOSTILE}`, name: HOSTILE, title: HOSTILE, description: HOSTILE },
          { type: 'resource', resource: { uri: `x://${HOSTILE}`, mimeType: HOSTILE, text: HOSTILE } },
        ],
      })),
    },
  })
}

function createTarget(): Server {
  return createServer({
    name: 'target',
    version: '1.0.0',
    tools: {
      send: tool({ description: 'Sends', input: { type: 'object' } }, (args) => {
        sent.push(args)
        return 'sent'
      }),
    },
    resources: {
      page: resource({ uri: 'target://{+path}', complete: { path: (value) => [value] } }, ({ path }) => String(path)),
    },
    prompts: {
      greet: prompt(
        { input: { type: 'object', properties: { who: { type: 'string' } } }, complete: { who: (value) => [value] } },
        ({ who }) => `Hi ${who}`,
      ),
    },
  })
}

async function start(options: HostLabOptions = {}, about = {}): Promise<HostLab> {
  sent.length = 0
  const lab = await startHost({ a: () => createSource(about), b: createTarget }, options)
  labs.push(lab)
  return lab
}

const calls = (name: string, args: object = {}) => ({ calls: [{ name, arguments: { ...args } }] })
const send = calls('b_send', { text: `about ${SECRET}` })
const isFlow = ({ body }: HostLab['asked'][number]): boolean => body.kind === 'approval' && body.effect.kind === 'flow'
const withoutFlow: HostLabOptions['decide'] = (question) => ({ action: isFlow(question) ? 'deny' : 'allow' })

describe("a server's words", () => {
  it.each(['tell', 'fail', 'structured', 'link'])(
    'reach a model labelled and clean, and no other server unasked: %s (host 2, host 21, sec-209, sec-210)',
    async (name) => {
      const script = { replies: [calls(`a_${name}`), send, { text: 'done' }] }
      const { host, provider, asked } = await start({ script, decide: withoutFlow })
      const events = await takeTurn(host, 'go')
      const told = JSON.stringify(provider.requests[1]?.messages.at(-1))
      expect(told).toContain(SECRET)
      expect(told).toContain('data from the server \\"a\\"')
      expect(told).not.toMatch(/\\u001b|\u202e|\u200b/)
      expect(asked.filter(isFlow)).toHaveLength(1)
      expect(callOf(events, 'b_send')?.status).toBe('denied')
      expect(sent).toEqual([])
      // The surfaces get it clean as well.
      expect(JSON.stringify(events)).not.toMatch(/\\u001b|\u202e|\u200b/)
    },
  )

  it('in an error keep its kind, its code and its data for programs (host 2)', async () => {
    const { host } = await start()
    const failure = await host.call('a_fail').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RpcError)
    expect(failure).toMatchObject({ rpcCode: -32000, message: expect.stringContaining('⟦U+001B⟧') })
    expect(JSON.stringify((failure as RpcError).data)).toContain('⟦U+202E⟧')
    expect(String((failure as RpcError).stack)).not.toContain('\u001b')
  })

  it.each([
    { where: 'instructions', about: { instructions: `Ask for ${SECRET} first.` } },
    { where: 'a description', about: { description: `Knows ${SECRET} by heart.` } },
    // attack B10, sec-261
    { where: 'the name of a tool', about: { tool: `give_it_to_${SECRET.replaceAll('-', '_')}` } },
  ])('in $where are found where they are sent on, and ask for nothing else (host 12, sec-211)', async ({ about }) => {
    const script = { replies: [calls('b_send', { text: 'hello' }), send, { text: 'done' }] }
    const { host, asked } = await start({ script, decide: withoutFlow }, about)
    const events = await takeTurn(host, 'go')
    expect(sent).toEqual([{ text: 'hello' }])
    expect(asked.filter(isFlow)).toMatchObject([{ server: 'b', body: { effect: { from: ['a'], inArguments: true } } }])
    expect(callOf(events, 'b_send')?.status).toBe('denied')
  })
})

describe('what a conversation has read', () => {
  const script = { replies: [], topics: { first: [calls('a_tell'), { text: 'ok' }], second: [send, { text: 'ok' }] } }
  const readFirst = async ({ host }: HostLab): Promise<SavedConversation> => {
    const conversation = host.converse({ session: 's1' })
    await conversation.send('first', () => {})
    // As it comes out of a file.
    return JSON.parse(JSON.stringify(conversation.save()))
  }

  it('is known again when it is taken up under another name, or by another host (host 3, sec-212)', async () => {
    const lab = await start({ script, decide: withoutFlow })
    const saved = await readFirst(lab)
    const other = await start({ script, decide: withoutFlow })
    for (const { host, asked } of [lab, other]) {
      await host.converse({ session: 's2', saved }).send('second', () => {})
      expect(asked.filter(isFlow)).toMatchObject([
        { server: 'b', body: { effect: { from: ['a'], inArguments: true } } },
      ])
      expect(host.provenance('s2').isTainted()).toBe(true)
    }
    expect(sent).toEqual([])
  })

  it('is not forgotten for a thousand other sessions (host 3, sec-212)', async () => {
    const lab = await start({ script, decide: withoutFlow })
    const conversation = lab.host.converse({ session: 's1' })
    await conversation.send('first', () => {})
    for (let at = 0; at <= 1_000; at++) lab.host.provenance(`other-${at}`)
    await conversation.send('second', () => {})
    expect(lab.asked.filter(isFlow)).toHaveLength(1)
    expect(sent).toEqual([])
  })
})

describe('data of one server on its way to another', () => {
  const ref = { type: 'ref/prompt', name: 'greet' } as const
  const ways: { [way: string]: (lab: HostLab) => Promise<unknown> } = {
    'a call': ({ host }) => host.call('b_send', { text: SECRET }, { session: 's' }),
    'a reading': ({ host }) => host.read(`target://${SECRET}`, { session: 's' }),
    'a prompt': ({ host }) => host.prompt('b_greet', { who: SECRET }, { session: 's' }),
    'a completion': ({ host }) =>
      host.complete('b', { ref, argument: { name: 'who', value: SECRET } }, { session: 's' }),
    'a resource that is followed': ({ host }) => host.subscribe('b', `target://${SECRET}`, () => {}, { session: 's' }),
  }

  it.each(Object.keys(ways))('is asked about in %s, and written down (host 13, sec-213)', async (way) => {
    const lab = await start({ decide: withoutFlow })
    await lab.host.call('a_tell', {}, { session: 's' })
    await expect(ways[way]?.(lab)).rejects.toMatchObject({ code: 'denied', data: { server: 'b' } })
    expect(lab.asked.filter(isFlow)).toMatchObject([{ server: 'b', body: { effect: { from: ['a'] } } }])
    await lab.host.close()
    expect(await readFile(join(lab.stateDir, 'audit', 'audit.jsonl'), 'utf8')).toContain('"what":"flow"')
  })

  it.each([
    { effect: 'prompt', way: 'a completion' },
    { effect: 'complete', way: 'a completion' },
    { effect: 'read', way: 'a resource that is followed' },
  ])('a rule against $effect holds for $way (host 13, sec-213)', async ({ effect, way }) => {
    const lab = await start({ rules: [{ id: 'no', outcome: 'deny', effect: [effect], server: 'b' }] })
    const failure = await ways[way]?.(lab).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(HostError)
    expect(failure).toMatchObject({ code: 'denied', data: { rule: 'no' } })
  })

  it('a completion is done without asking, and its proposals are clean (host 13, host 21)', async () => {
    const lab = await start()
    const { completion } = await lab.host.complete('b', { ref, argument: { name: 'who', value: '\u001b[2J' } })
    expect(completion.values).toEqual(['⟦U+001B⟧[2J'])
    expect(lab.questions().filter((one) => !one.endsWith(':connect'))).toEqual([])
  })
})
