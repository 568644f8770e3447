/**
 * Everything that callers share, and how each is used: by somebody who needs it now and then (`visit`), and by somebody who takes
 * all there is and gives nothing back (`grab`). Every visit holds one piece of work, so that its time is not the machine's alone.
 */

import type { SharedPorts } from './shared.ts'
import type { Json, Reply, Visitor } from './visitor.ts'

export interface Thing {
  readonly name: string
  /** Throws where it was refused or came to something else. */
  visit(who: Visitor, ports: SharedPorts): Promise<void>
  /** One try, whatever becomes of it. */
  grab(who: Visitor, ports: SharedPorts): Promise<Reply>
}

const OLDER = '2025-11-25'
const FORM = { elicitation: { form: {} } }
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const FILTER = { notifications: { toolsListChanged: true } }

export const THINGS: readonly Thing[] = [
  {
    name: 'sessions',
    async visit(who, { server }) {
      const session = await openSession(who, server)
      const headers = { 'mcp-session-id': session, 'mcp-protocol-version': OLDER }
      const params = { name: 'work', arguments: {} }
      const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params }
      demandResult(await who.post(at(server), body, headers))
      await who.post(at(server), undefined, headers, 'DELETE')
    },
    grab: (who, { server }) => initialize(who, server),
  },
  {
    name: 'slots of a server',
    visit: async (who, { gateway }) => void demandResult(await callWork(who, gateway, 'up_work')),
    grab: (who, { gateway }) => callWork(who, gateway, 'up_work'),
  },
  {
    name: 'parked calls',
    visit: (who, { gateway }) => answerQuestion(who, gateway, 'up_ask'),
    grab: (who, { gateway }) => callWork(who, gateway, 'up_ask', FORM),
  },
  {
    name: 'rounds',
    visit: (who, { server }) => answerQuestion(who, server, 'ask'),
    grab: (who, { server }) => callWork(who, server, 'ask', FORM),
  },
  {
    name: 'listeners',
    async visit(who, { server }) {
      demandStatus(await who.call(server, 'subscriptions/listen', FILTER))
      demandResult(await callWork(who, server, 'work'))
      who.close()
    },
    grab: (who, { server }) => who.call(server, 'subscriptions/listen', FILTER),
  },
  {
    name: 'tasks',
    async visit(who, { server }) {
      const { result } = demandResult(await callWork(who, server, 'order', TASKS))
      const { taskId } = (result?.task ?? result ?? {}) as Json
      for (;;) {
        const seen = demandResult(await who.call(server, 'tasks/get', { taskId }, { capabilities: TASKS }))
        const { status } = (seen.result?.task ?? seen.result ?? {}) as Json
        if (status === 'completed') return
        if (status !== 'working') throw new Error(`a task that is ${status}`)
        await pause(POLL_MS)
      }
    },
    grab: (who, { server }) => callWork(who, server, 'order', TASKS),
  },
  {
    name: 'introspection',
    visit: async (who, { bearer }) => void demandResult(await callWork(who, bearer, 'work', {}, token(who))),
    // Mostly tokens that are made up: whoever has none is one of all strangers.
    grab: (who, { bearer }) => callWork(who, bearer, 'work', {}, token(who, Math.random() < 0.9)),
  },
  {
    name: 'registrations',
    async visit(who, { issuer }) {
      demandStatus(await register(who, issuer), 201)
      // Nobody registers more than a few times in earnest: fewer than the 60 a minute that an address may.
      await pause(REGISTERED_MS)
    },
    grab: (who, { issuer }) => register(who, issuer),
  },
]

const POLL_MS = 20
const REGISTERED_MS = 400

function callWork(
  who: Visitor,
  port: number,
  name: string,
  capabilities: Json = {},
  headers: { readonly [name: string]: string } = {},
): Promise<Reply> {
  return who.call(port, 'tools/call', { name, arguments: {} }, { capabilities, headers })
}

async function answerQuestion(who: Visitor, port: number, name: string): Promise<void> {
  const { result } = demandResult(await callWork(who, port, name, FORM))
  const { inputRequests = {}, requestState } = (result ?? {}) as { inputRequests?: Json; requestState?: unknown }
  const answers = Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { word: 'x' } }])
  if (answers.length === 0) throw new Error('nothing was asked')
  const params = { name, arguments: {}, inputResponses: Object.fromEntries(answers), requestState }
  demandResult(await who.call(port, 'tools/call', params, { capabilities: FORM }))
}

function initialize(who: Visitor, port: number): Promise<Reply> {
  const params = { protocolVersion: OLDER, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  return who.post(at(port), { jsonrpc: '2.0', id: 1, method: 'initialize', params })
}

async function openSession(who: Visitor, port: number): Promise<string> {
  const session = demandStatus(await initialize(who, port)).headers['mcp-session-id']
  if (typeof session !== 'string') throw new Error('no session')
  return session
}

function register(who: Visitor, port: number): Promise<Reply> {
  return who.post(`http://127.0.0.1:${port}/reg`, {
    redirect_uris: ['http://127.0.0.1:9/callback'],
    token_endpoint_auth_method: 'none',
    client_name: who.name,
  })
}

function token({ name }: Visitor, isMadeUp = false): { readonly authorization: string } {
  return { authorization: `Bearer ${isMadeUp ? `bad-${Math.random()}` : `good-${name}`}` }
}

function at(port: number): string {
  return `http://127.0.0.1:${port}/mcp`
}

function demandStatus(reply: Reply, status = 200): Reply {
  if (reply.status !== status) throw new Error(`status ${reply.status}: ${JSON.stringify(reply.message)}`)
  return reply
}

function demandResult(reply: Reply): Reply['message'] {
  const { message } = demandStatus(reply)
  if (message.result === undefined || message.result.isError === true) throw new Error(JSON.stringify(message))
  return message
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
