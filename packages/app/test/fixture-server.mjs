/**
 * A server for the tests of the command line, as plain as one can be: 2025-11-25 on standard streams, without any
 * library. It counts, waits until it is cancelled, fails, asks, logs, and writes down what became of it.
 */

import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [notes, description = 'Greets somebody'] = process.argv.slice(2)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const note = (text) => notes && appendFileSync(notes, `${text}\n`)
const asked = new Map()

const text = (words, more = {}) => ({ content: [{ type: 'text', text: words }], ...more })
const schema = (properties, required = []) => ({ type: 'object', properties, required, additionalProperties: false })
const TOOLS = [
  {
    name: 'greet',
    description,
    inputSchema: schema(
      {
        name: { type: 'string' },
        times: { type: 'integer' },
        loud: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        mood: { type: 'string', enum: ['glad', 'sad'] },
      },
      ['name'],
    ),
  },
  { name: 'wait', description: 'Waits until it is cancelled', inputSchema: schema({}) },
  { name: 'fail', description: 'Reports an error', inputSchema: schema({}) },
  { name: 'ask', description: 'Asks the user for a name', inputSchema: schema({}) },
  { name: 'think', description: 'Asks the model', inputSchema: schema({}) },
  { name: 'escape', description: 'Answers with terminal codes', inputSchema: schema({}) },
  { name: 'broken', description: 'Fails with terminal codes', inputSchema: schema({}) },
]

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion >= '2025-11-25' ? '2025-11-25' : protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} },
    serverInfo: { name: 'fixture', version: '1.0.0' },
  }),
  ping: () => ({}),
  'logging/setLevel': () => {
    queueMicrotask(() => send({ method: 'notifications/message', params: { level: 'warning', data: 'it is warm' } }))
    return {}
  },
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': (params, id) => call(params, id),
  'resources/list': () => ({
    resources: [
      { uri: 'note://one', name: 'one', mimeType: 'text/plain' },
      { uri: 'note://bytes', name: 'bytes', mimeType: 'image/png' },
    ],
  }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'note' }] }),
  'resources/read': ({ uri }) => {
    if (uri === 'note://one') return { contents: [{ uri, mimeType: 'text/plain', text: 'first line\nsecond line\n' }] }
    if (uri === 'note://bytes') return { contents: [{ uri, mimeType: 'image/png', blob: 'AAEC/w==' }] }
    throw { code: -32002, message: `There is no ${uri}` }
  },
  'resources/subscribe': ({ uri }) => {
    queueMicrotask(() => send({ method: 'notifications/resources/updated', params: { uri } }))
    return {}
  },
  'resources/unsubscribe': () => ({}),
  'prompts/list': () => ({
    prompts: [{ name: 'review', description: 'Reviews', arguments: [{ name: 'language', required: true }] }],
  }),
  'prompts/get': ({ name, arguments: args = {} }) => {
    if (name !== 'review') throw { code: -32602, message: `There is no prompt ${name}` }
    return { messages: [{ role: 'user', content: { type: 'text', text: `Review this ${args.language}.` } }] }
  },
}

function call({ name, arguments: args = {}, _meta = {} }, id) {
  note(`call ${name} ${JSON.stringify(args)}`)
  if (name === 'greet') return text(`Hello, ${JSON.stringify(args)}`, { structuredContent: { greeting: args.name } })
  if (name === 'fail') return text('the disk is full', { isError: true })
  if (name === 'escape') return text('red \u001b[31mtext\u001b[0m')
  if (name === 'broken') throw { code: -32000, message: 'bad \u001b]0;owned\u0007\u001b[2J\u202e' }
  if (name === 'wait') {
    const progressToken = _meta.progressToken
    if (progressToken !== undefined)
      send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 9, message: 'waiting' } })
    note('waiting')
    return undefined
  }
  if (name === 'ask') {
    const requestedSchema = {
      type: 'object',
      properties: { who: { type: 'string', title: 'Name' } },
      required: ['who'],
    }
    return askClient('elicitation/create', { message: 'Who are you?', requestedSchema }, id)
  }
  if (name === 'think') {
    const messages = [{ role: 'user', content: { type: 'text', text: 'What now?' } }]
    return askClient('sampling/createMessage', { messages, maxTokens: 50 }, id)
  }
  throw { code: -32602, message: `There is no tool ${name}` }
}

function askClient(method, params, call) {
  const id = `ask-${asked.size}`
  asked.set(id, call)
  send({ id, method, params })
  return undefined
}

function take({ id, method, params = {}, result, error }) {
  if (method === undefined) {
    const call = asked.get(id)
    note(`answer ${JSON.stringify(result ?? error)}`)
    return send({ id: call, result: text(JSON.stringify(result ?? error), { isError: error !== undefined }) })
  }
  if (id === undefined) {
    if (method === 'notifications/cancelled') note('cancelled')
    return
  }
  const handle = METHODS[method]
  if (handle === undefined) return send({ id, error: { code: -32601, message: `Method not found: ${method}` } })
  try {
    const answer = handle(params, id)
    if (answer !== undefined) send({ id, result: answer })
  } catch ({ code = -32603, message }) {
    send({ id, error: { code, message } })
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => take(JSON.parse(line)))
  .on('close', () => {
    note('ended')
    process.exit(0)
  })
note(`pid ${process.pid}`)
