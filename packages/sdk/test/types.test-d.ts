/**
 * What the compiler promises to people who write servers. Nothing here runs: `types.test.ts` has the compiler read it, and
 * a line that should not compile says so.
 */

import { type } from 'arktype'
import * as v from 'valibot'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { type CallToolResult, type Client, type ContentBlock, connect } from '../src/doors/client.ts'
import {
  createServer,
  type InferInput,
  type InferOutput,
  image,
  prompt,
  type RequestContext,
  resource,
  result,
  type ToolDefinition,
  ToolError,
  text,
  tool,
  withState,
} from '../src/doors/server.ts'

// Arguments come from the schema, whatever library it is of.
tool({ input: z.object({ city: z.string(), days: z.number().optional() }) }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>()
})
tool({ input: z.object({ n: z.string().transform(Number), d: z.number().default(1) }) }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ n: number; d: number }>()
})
tool({ input: v.object({ city: v.string(), tags: v.array(v.string()) }) }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ city: string; tags: string[] }>()
})
tool({ input: type({ city: 'string', 'days?': 'number' }) }, (args) => {
  expectTypeOf(args.city).toEqualTypeOf<string>()
  expectTypeOf(args.days).toEqualTypeOf<number | undefined>()
})
tool(
  {
    input: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] }, days: { type: 'integer' } },
      required: ['city', 'unit'],
    },
  },
  (args) => {
    expectTypeOf(args.city).toEqualTypeOf<string>()
    expectTypeOf(args.unit).toEqualTypeOf<'c' | 'f'>()
    expectTypeOf(args.days).toEqualTypeOf<number | undefined>()
    // @ts-expect-error: the schema has no such property
    args.town
  },
)
tool({ input: z.object({ at: z.object({ from: z.number(), to: z.number().optional() }).optional() }) }, ({ at }) => {
  expectTypeOf(at).toEqualTypeOf<{ from: number; to?: number | undefined } | undefined>()
})
tool({ input: { schema: v.object({ city: v.string() }), json: { type: 'object' } } }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ city: string }>()
})
tool({}, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ [key: string]: unknown }>()
})
// @ts-expect-error: text is no schema
tool({ input: 'city' }, () => '')
// @ts-expect-error: neither is a thing without the mark of one
tool({ input: new Date() }, () => '')
// @ts-expect-error: the handler asks for more than the schema gives
tool({ input: z.object({ city: z.string() }) }, (args: { city: string; days: number }) => args.city)

// What a schema takes and what it gives are two things.
const price = z.object({ euro: z.string().transform(Number), count: z.number().default(1) })
expectTypeOf<InferInput<typeof price>>().toEqualTypeOf<{ euro: string; count?: number | undefined }>()
expectTypeOf<InferOutput<typeof price>>().toEqualTypeOf<{ euro: number; count: number }>()
const weight = v.object({ kilo: v.pipe(v.string(), v.transform(Number)) })
expectTypeOf<InferInput<typeof weight>>().toEqualTypeOf<{ kilo: string }>()
expectTypeOf<InferOutput<typeof weight>>().toEqualTypeOf<{ kilo: number }>()
tool({ output: price }, () => ({ euro: '5' }))
// @ts-expect-error: what comes out of the schema is not what goes in
tool({ output: price }, () => ({ euro: 5, count: 1 }))

// What a handler returns is held against `output`.
tool({ output: z.object({ celsius: z.number() }) }, () => ({ celsius: 20 }))
tool({ output: z.object({ celsius: z.number() }) }, async () => ({ celsius: 20 }))
tool({ output: z.object({ celsius: z.number() }) }, () => result({ content: [] }))
// @ts-expect-error: a string is no number
tool({ output: z.object({ celsius: z.number() }) }, () => ({ celsius: '20' }))
// @ts-expect-error: nor when it comes later
tool({ output: z.object({ celsius: z.number() }) }, async () => ({ celsius: '20' }))
// @ts-expect-error: nothing is not what was promised
tool({ output: z.object({ celsius: z.number() }) }, () => {})
// @ts-expect-error: a plain result would be taken for structured content
tool({ output: z.object({ celsius: z.number() }) }, () => ({ content: [{ type: 'text', text: 'x' }] }))
// @ts-expect-error: Valibot
tool({ output: v.object({ ok: v.boolean() }) }, () => ({ ok: 'yes' }))
// @ts-expect-error: ArkType
tool({ output: type({ ok: 'boolean' }) }, () => ({ ok: 'yes' }))
// @ts-expect-error: JSON Schema
tool({ output: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } }, () => ({ ok: 'yes' }))
tool({ output: { type: 'array', items: { type: 'integer' } } }, () => [1, 2])
// @ts-expect-error: an array of the wrong things
tool({ output: { type: 'array', items: { type: 'integer' } } }, () => ['a'])

// Without `output` anything that can be shown will do.
tool({}, () => 'text')
tool({}, () => undefined)
tool({}, () => [{ type: 'text', text: 'x' }])
tool({}, () => {
  throw new ToolError('no')
})

// Questions: the answer has the form's type, and content only when it was accepted.
tool({}, async (_, ctx) => {
  const answer = await ctx.elicit({ message: '?', form: z.object({ name: z.string() }) })
  if (answer.action === 'accept') expectTypeOf(answer.content).toEqualTypeOf<{ name: string }>()
  else expectTypeOf(answer.content).toEqualTypeOf<undefined>()
  const keyed = await ctx.elicit('k', {
    message: '?',
    form: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  })
  if (keyed.action === 'accept') expectTypeOf(keyed.content.n).toEqualTypeOf<number>()
  expectTypeOf(await ctx.step('s', async () => 5)).toEqualTypeOf<number>()
  // @ts-expect-error: either messages or a prompt
  await ctx.sample({})
})

// Variables are those of the template.
resource({ uri: 'users://{id}/posts/{post}' }, (variables) => {
  expectTypeOf(variables.id).toEqualTypeOf<string>()
  expectTypeOf(variables.post).toEqualTypeOf<string>()
  // @ts-expect-error: the template has no such variable
  variables.name
  return ''
})
resource({ uri: 'x://{+path}{?q,lang}{&page}' }, (variables) => {
  expectTypeOf(variables.path).toEqualTypeOf<string>()
  expectTypeOf(variables.q).toEqualTypeOf<string | undefined>()
  expectTypeOf(variables.lang).toEqualTypeOf<string | undefined>()
  expectTypeOf(variables.page).toEqualTypeOf<string | undefined>()
  return ''
})
resource({ uri: 'x://{/parts*}{;short:3}' }, (variables) => {
  expectTypeOf(variables.parts).toEqualTypeOf<string | string[]>()
  expectTypeOf(variables.short).toEqualTypeOf<string>()
  return ''
})
resource({ uri: 'data://fixed' }, (variables) => {
  // @ts-expect-error: there are none
  variables.id
  return ''
})

// Only tools, prompts and reads may ask; completers and lists may not.
resource(
  {
    uri: 'x://{id}',
    complete: {
      id: (value, chosen, ctx) => {
        expectTypeOf(value).toEqualTypeOf<string>()
        expectTypeOf(chosen).toEqualTypeOf<{ readonly [name: string]: string }>()
        expectTypeOf(ctx).toEqualTypeOf<RequestContext>()
        // @ts-expect-error: completion may not ask the client
        ctx.elicit
        return []
      },
    },
  },
  () => '',
)

prompt({ input: z.object({ name: z.string(), tone: z.string().optional() }) }, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ name: string; tone?: string | undefined }>()
  return 'x'
})
prompt({}, (args) => {
  expectTypeOf(args).toEqualTypeOf<{ [name: string]: string }>()
  return { role: 'user', content: { type: 'text', text: '' } }
})
// @ts-expect-error: a prompt is text or messages
prompt({}, () => 5)

// The record of tools stays readable from the server's type.
const server = createServer({
  name: 's',
  version: '1',
  tools: {
    forecast: tool({ input: z.object({ city: z.string() }), output: z.object({ celsius: z.number() }) }, () => ({
      celsius: 1,
    })),
  },
})
type Tools = NonNullable<(typeof server)['~tools']>
expectTypeOf<NonNullable<Tools['forecast']['~input']>>().toEqualTypeOf<{ city: string }>()
expectTypeOf<NonNullable<Tools['forecast']['~output']>>().toEqualTypeOf<{ celsius: number }>()

// So does the client's side of it: what a tool is called with, and what comes back.
const shop = createServer({
  name: 's',
  version: '1',
  tools: {
    price: tool({ input: price, output: price }, ({ euro }) => ({ euro: String(euro) })),
    weight: tool({ input: weight, output: weight }, ({ kilo }) => ({ kilo: String(kilo) })),
    area: tool({ input: { type: 'object', properties: { m: { type: 'number' } }, required: ['m'] } }, ({ m }) => m),
    ping: tool({}, () => 'pong'),
  },
})
const { tools } = await connect(shop)
expectTypeOf(await tools.price({ euro: '5' })).toEqualTypeOf<{ euro: number; count: number }>()
expectTypeOf(await tools.weight({ kilo: '5' })).toEqualTypeOf<{ kilo: number }>()
expectTypeOf(await tools.area({ m: 5 })).toEqualTypeOf<string>()
expectTypeOf(await tools.ping()).toEqualTypeOf<string>()
// @ts-expect-error: the client passes what goes in
await tools.price({ euro: 5 })
// @ts-expect-error: Valibot
await tools.weight({ kilo: 5 })
// @ts-expect-error: JSON Schema
await tools.area({ m: 'five' })
// @ts-expect-error: an argument is required
await tools.price()
// @ts-expect-error: no such tool
await tools.cost({})

// Without `output`, what the handler returns says what comes back: text, JSON, or a whole result (sdk 17).
interface Folder {
  readonly name: string
  readonly inside: Folder[]
}
const shown = createServer({
  name: 's',
  version: '1',
  tools: {
    count: tool({ input: price }, ({ count }) => count),
    nothing: tool({}, async () => {}),
    maybe: tool({ input: price }, ({ count }) => (count > 1 ? { count, when: new Date(), hide() {} } : 'one')),
    rows: tool({}, async () => [{ id: 1, name: 'a' as string | undefined }]),
    folder: tool({}, (): Folder => ({ name: 'a', inside: [] })),
    said: tool({}, () => text('x')),
    drawn: tool({}, () => [image('', 'image/png')]),
    mixed: tool({}, () => [text('x'), image('', 'image/png')]),
    whole: tool({}, () => ({ content: [text('x')], structuredContent: { n: 1 } })),
    anything: tool({}, (): CallToolResult => ({ content: [] })),
    byText: tool({}, () => [{ type: 'text', text: 'x' }]),
    fails: tool({}, () => {
      throw new ToolError('no')
    }),
  },
})
const seen = await connect(shown)
expectTypeOf(await seen.tools.count({ euro: '5' })).toEqualTypeOf<string>()
expectTypeOf(await seen.tools.nothing()).toEqualTypeOf<string>()
expectTypeOf(await seen.tools.maybe({ euro: '5' })).toEqualTypeOf<string | { count: number; when: string }>()
expectTypeOf(await seen.tools.rows()).toEqualTypeOf<{ id: number; name: string | undefined }[]>()
expectTypeOf((await seen.tools.folder()).inside[0]?.inside[0]?.name).toEqualTypeOf<string | undefined>()
expectTypeOf(await seen.tools.said()).toEqualTypeOf<string>()
expectTypeOf(await seen.tools.drawn()).toEqualTypeOf<CallToolResult>()
expectTypeOf(await seen.tools.mixed()).toEqualTypeOf<string | CallToolResult>()
expectTypeOf(await seen.tools.whole()).toEqualTypeOf<{ n: number }>()
expectTypeOf(await seen.tools.anything()).toEqualTypeOf<unknown>()
expectTypeOf(await seen.tools.byText()).toEqualTypeOf<unknown>()
expectTypeOf(await seen.tools.fails()).toEqualTypeOf<unknown>()

// `callTool` knows the server too: names, arguments, structured content. A name of the moment may be any text.
const counted = await seen.callTool('whole')
expectTypeOf(counted.structuredContent).toEqualTypeOf<{ n: number } | undefined>()
expectTypeOf(counted.content).toEqualTypeOf<ContentBlock[]>()
await seen.callTool('count', { euro: '5' }, { timeoutMs: 100 })
// @ts-expect-error: an argument of the tool is required
await seen.callTool('count')
// @ts-expect-error: an argument of another type
await seen.callTool('count', { euro: 5 })
// @ts-expect-error: no such tool
await seen.callTool('cuont', { euro: '5' })
const chosen: string = JSON.parse('"count"')
expectTypeOf(await seen.callTool(chosen, { euro: '5' })).toEqualTypeOf<CallToolResult>()
const untyped = await connect('https://example.com/mcp')
expectTypeOf(await untyped.callTool('whatever', { a: 1 })).toEqualTypeOf<CallToolResult>()
// Whoever takes any client takes a typed one.
untyped satisfies Client
const anyClient: Client = seen
expectTypeOf(await anyClient.callTool('count')).toEqualTypeOf<CallToolResult>()

// A tool is also what its type can be written as by hand.
const byHand: ToolDefinition<{ euro: string; count?: number | undefined }, { euro: number; count: number }> = tool(
  { input: price, output: price },
  ({ euro }) => ({ euro: String(euro) }),
)
createServer({ name: 's', version: '1', tools: { byHand } })
// @ts-expect-error: not of this schema
byHand satisfies ToolDefinition<{ dollar: string }>
// @ts-expect-error: a function by itself is no tool
createServer({ name: 's', version: '1', tools: { plain: () => 'text' } })

// Makers with a state type their handlers the same way.
const made = withState<{ user: string }>()
const stateful = made.createServer({
  name: 's',
  version: '1',
  context: () => ({ user: 'ada' }),
  tools: {
    greet: made.tool({ input: price, output: z.object({ text: z.string() }) }, ({ euro }, ctx) => {
      expectTypeOf(euro).toEqualTypeOf<number>()
      expectTypeOf(ctx.state).toEqualTypeOf<{ user: string }>()
      return { text: ctx.state.user }
    }),
  },
})
const typed = await connect<typeof stateful>('https://example.com/mcp')
expectTypeOf(await typed.tools.greet({ euro: '5' })).toEqualTypeOf<{ text: string }>()
// @ts-expect-error: the output says text
made.tool({ output: z.object({ text: z.string() }) }, () => ({ text: 5 }))

// Middleware sees the result of its own method.
server.use('tools/call', async (_, next) => {
  const called = await next()
  expectTypeOf(called.content).toBeArray()
  return called
})
// @ts-expect-error: no such method
server.use('tools/destroy', (_, next) => next())
