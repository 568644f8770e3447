// Teaches: a tool that needs the user's account elsewhere. The user connects it on a page; no secret passes the client.
import { randomUUID } from 'node:crypto'
import { createServer as createNodeServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createHttpHandler } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createAccountPage } from './account-page.ts'

const port = Number(process.env.PORT ?? 3000)
const origin = `http://127.0.0.1:${port}`
const calendar = process.env.CALENDAR_URL ?? 'https://calendar.example'
// Everybody has a token for their MCP client and a password for their browser; both lead to the same id.
const people = ['ada', 'bob'].map((id) => ({ id, token: randomUUID(), password: randomUUID() }))
const page = createAccountPage(origin, people)

const today = tool({ description: 'What your calendar says about today' }, async (_, ctx) => {
  if (ctx.principal === undefined) return 'Sign in first.'
  const { id } = ctx.principal
  if (!page.keys.has(id)) {
    // A step, since the newest revision runs the handler again after each answer: the link stays the same.
    const url = await ctx.step('link', () => page.createLink(id))
    const question = { message: 'Please connect your calendar', url, done: () => page.keys.has(id) }
    if ((await ctx.elicit('connect', question)).action !== 'accept') return 'Your calendar is not connected.'
  }
  // The calendar gets the key that was entered on the page, never the token that the MCP client came with.
  const answer = await fetch(`${calendar}/today`, { headers: { authorization: `Bearer ${page.keys.get(id)}` } })
  return answer.ok ? answer.text() : `The calendar answered ${answer.status}.`
})

const refusal = { status: 401, message: 'A token is needed', headers: ['www-authenticate', 'Bearer'] }
const callers = new Map(people.map(({ id, token }) => [`Bearer ${token}`, { id, scopes: new Set<string>() }]))
const mcp = createHttpHandler(createServer({ name: 'planner', version: '1.0.0', tools: { today } }), {
  path: '/mcp',
  authenticate: (head) => callers.get(head.header('authorization') ?? '') ?? refusal,
})
const show = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const [status, html, headers] = await page.answer(req)
  res.writeHead(status, { 'content-type': 'text/html', 'cache-control': 'no-store', ...headers }).end(html)
}
const http = createNodeServer((req, res) => mcp(req, res, () => void show(req, res).catch(() => res.destroy())))
http.listen(port, '127.0.0.1', () => console.log(`Serving on ${origin}/mcp for ${JSON.stringify(people)}`))
