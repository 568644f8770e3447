// A host that is none of ours: answers what a plugin asks, with everything in it that could act on an editor.
import { createInterface } from 'node:readline'

const ACTS =
  '\u001B]0;owned\u0007\u001B[2J\u202E%{execute("let g:owned=1")}%#Error#$(touch owned)|let g:owned=1\u0000\u009B31m'
const MODELINES = 'vim: set tabstop=13 :\n# ex: set tabstop=13 :\n'
const NAMES = [
  'plain',
  `a|let g:owned=1`,
  'a\nlet g:owned=1',
  '../../etc/passwd',
  '%{g:owned}',
  '`touch owned`',
  '<CR>:let g:owned=1<CR>',
  'x'.repeat(5000),
]
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const notify = (method, params) => send({ method, params })

const schema = {
  type: 'object',
  properties: Object.fromEntries(
    NAMES.map((name) => [name, { type: 'string', title: ACTS, description: ACTS, default: ACTS }]),
  ),
}
const server = (name) => ({
  name,
  state: 'ready',
  reason: ACTS + MODELINES,
  remedy: ACTS,
  shown: ACTS,
  tools: 1,
  resources: 1,
  prompts: 1,
  held: 0,
})
const item = (kind) => (name) => ({
  kind,
  server: NAMES[0],
  name,
  definition: { name, description: ACTS, inputSchema: schema, mimeType: ACTS },
})
const question = (id, details) => ({
  id,
  digest: 'd',
  server: ACTS,
  kind: 'approval',
  title: ACTS,
  details,
  warnings: [ACTS],
  choices: [
    { key: 'y', label: 'Allow', answer: { action: 'allow' } },
    { key: 'n', label: 'Deny', answer: { action: 'deny' } },
  ],
})
const content = [{ type: 'text', text: ACTS + MODELINES, mimeType: ACTS, uri: ACTS }, 7, null, { type: ACTS }]

const ANSWERS = {
  initialize: () => ({ protocol: 1, version: '0.1.0', folder: process.cwd(), limits: {} }),
  'servers/list': () => ({ servers: NAMES.map(server), problems: [ACTS] }),
  'items/list': () => ({ items: ['tool', 'resource', 'prompt'].flatMap((kind) => NAMES.map(item(kind))), total: 9 }),
  'questions/list': () => ({ questions: [] }),
  'tasks/list': () => ({ tasks: [{ label: ACTS, server: ACTS, tool: ACTS, status: ACTS, message: ACTS }] }),
  'resources/read': () => ({ server: ACTS, contents: content }),
  'prompts/get': () => ({ server: ACTS, messages: [{ role: 'user', content: content[0] }] }),
  'tools/call': () => ({ server: ACTS, result: { content } }),
  'turn/start': ({ conversation }) => {
    notify('turn/event', { conversation, event: { type: 'text', delta: ACTS + MODELINES } })
    return { reason: 'done' }
  },
  'questions/answer': ({ answer }) => {
    process.stderr.write(`answered ${answer.action}\n`)
    notify('task/changed', { task: { label: 'answered', server: 's', tool: 't', status: answer.action } })
    return {}
  },
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined || method === undefined) return
    const answer = ANSWERS[method]
    if (answer === undefined) send({ id, error: { code: -32601, message: ACTS } })
    else send({ id, result: answer(params) })
    if (method !== 'questions/list') return
    process.stdout.write(
      'this is no JSON\n[1,2\n\u0000\n"text"\n{"jsonrpc":"2.0","method":"nobody/knows","params":7}\n',
    )
    send({ id: 99, method: 'editor/text', params: { path: '../../../etc/passwd' } })
    send({ id: 98, method: 'os/execute', params: { command: 'touch owned' } })
    notify('question/asked', { question: question('long', `${ACTS}\n`.repeat(400)) })
  })
  .on('close', () => process.exit(0))
