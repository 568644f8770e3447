/**
 * The server that the matrix is run against: at least one item for every requirement, and a `control` tool through which a
 * test steers it on any transport, a spawned process included. `stdio-fixture.ts` serves it to such a process.
 */

import { z } from 'zod'
import { PorticoError } from '../../src/jsonrpc/errors.ts'
import type { Extension } from '../../src/server/features/extension.ts'
import { result, ToolError } from '../../src/server/features/tool-result.ts'
import { prompt, resource, tool } from '../../src/server/items/definition.ts'
import type { ServerOptions } from '../../src/server/options.ts'
import { createServer, type Server } from '../../src/server/server.ts'
import { askingTools } from './fixture-asking.ts'
import { BLOCKS, ICONS, PIXEL } from './fixture-content.ts'
import type { FixtureState } from './fixture-state.ts'

export function createFixture(options: ServerOptions = {}): { server: Server; state: FixtureState } {
  const state: FixtureState = {
    errors: [],
    effects: {},
    cancelled: [],
    observed: [],
    done: false,
    question: 'first',
    server: undefined,
  }
  const server = createServer({
    name: 'matrix',
    version: '1.2.3',
    title: 'The matrix',
    description: 'One of everything',
    websiteUrl: 'https://example.com/',
    icons: ICONS,
    instructions: 'Use with care.',
    experimental: { 'com.example/probe': { level: 3 } },
    cache: { lists: { ttlMs: 5000 }, reads: { ttlMs: 1000 } },
    onError: (error, about) => void state.errors.push({ message: String((error as Error).message), ...about }),
    context: (ctx) => ({ seen: ctx.method }),
    extensions: [EXTENSION],
    tools: { ...plainTools(state), ...workingTools(state), ...askingTools(state) },
    resources: fixtureResources(state),
    prompts: fixturePrompts(),
    ...options,
  })
  server.use('tools/call', async ({ params }, next) => {
    if (params.name === 'wrapped_ask') return next({ name: 'wrapped_ask', arguments: {} })
    if (params.name !== 'wrapped') return next()
    const inner = await next({ ...params, arguments: { text: 'altered' } })
    return { ...inner, content: [...inner.content, { type: 'text', text: 'and more' }] }
  })
  server.on('tools/call', ({ method, error }) => {
    state.observed.push({ method, error: error === undefined ? undefined : String(error) })
  })
  state.server = server
  return { server, state }
}

export const ECHOES = 'com.example/echoes'

const EXTENSION: Extension = {
  id: 'com.example/echo',
  settings: { loud: true },
  methods: {
    'com.example/echo/say': { run: ({ text }) => ({ said: String(text) }) },
    'com.example/echo/strict': { run: () => ({ ok: true }), requiresClient: true },
  },
  filter: (notifications) => (notifications[ECHOES] === true ? { [ECHOES]: true } : {}),
}

function plainTools(state: FixtureState) {
  return {
    echo: tool(
      {
        description: 'Says it back',
        input: { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] },
      },
      ({ text }) => text,
    ),
    add: tool(
      { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }), readOnly: true },
      ({ a, b }) => ({ sum: a + b }),
    ),
    numbers: tool({ output: { type: 'array', items: { type: 'integer' } } }, () => [1, 2, 3]),
    annotated: tool(
      {
        title: 'Annotated',
        description: 'Has all a tool may have',
        icons: ICONS,
        readOnly: true,
        destructive: false,
        idempotent: true,
        openWorld: false,
        annotations: { title: 'Hinted' },
        meta: { 'com.example/x': 1 },
      },
      () => 'annotated',
    ),
    everything: tool({}, () => BLOCKS),
    full: tool({ output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }, () =>
      result({
        content: [{ type: 'text', text: 'own words' }],
        structuredContent: { n: 1 },
        _meta: { 'com.example/t': 'x' },
      }),
    ),
    nothing: tool({}, () => undefined),
    object: tool({}, () => ({ free: ['form'] })),
    // biome-ignore lint/suspicious/noThenProperty: query builders are thenables, and handlers return them
    late: tool({}, () => ({ then: (resolve: (value: string) => void) => resolve('thenable') })),
    // The handler breaks its promise on purpose, behind the compiler's back.
    wrong_output: tool(
      { output: z.object({ n: z.number() }) },
      () => ({ n: 'not a number' }) as unknown as { n: number },
    ),
    boom: tool({}, () => {
      throw new Error('secret: hunter2')
    }),
    async_boom: tool({}, async () => {
      throw new TypeError('secret: hunter3')
    }),
    tool_error: tool({}, () => {
      throw new ToolError('The disk is full', { content: [{ type: 'text', text: 'The disk is full' }, BLOCKS[2]!] })
    }),
    unserializable: tool({}, () => {
      const loop: { [key: string]: unknown } = {}
      loop.loop = loop
      return loop
    }),
    bigint_meta: tool({ output: {} }, () =>
      result({ content: [], structuredContent: {}, _meta: { big: 1n as unknown as string } }),
    ),
    hidden: tool({ visible: (principal) => principal?.id === 'alice' }, () => 'for alice'),
    scoped: tool({ scopes: ['admin'] }, () => 'for admins'),
    constructor: tool({}, () => 'constructed'),
    ['__proto__']: tool({}, () => 'proto'),
    wrapped: tool({ input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => String(text)),
    keys: tool({ input: z.looseObject({}) }, (args) => {
      const clean = ({} as { polluted?: unknown }).polluted === undefined
      return { keys: Object.keys(args), clean }
    }),
    raw_keys: tool({ input: { type: 'object', required: [] } }, (args) => {
      const clean = ({} as { polluted?: unknown }).polluted === undefined && !('polluted' in (args as object))
      return { keys: Object.keys(args as object), clean }
    }),
    context: tool({}, (_, ctx) => ({
      version: ctx.version,
      client: ctx.client.info,
      meta: ctx.meta,
      state: ctx.state,
      method: ctx.method,
      requestId: ctx.requestId,
      principal: ctx.principal?.id ?? null,
      experimental: ctx.client.capabilities.experimental ?? null,
      http: ctx.head !== undefined,
    })),
    control: controlTool(state),
  }
}

function workingTools(state: FixtureState) {
  return {
    progress: tool({}, async (_, ctx) => {
      for (const value of [1, 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) ctx.progress(value, 4, `at ${value}`)
      ctx.progress(2, Number.POSITIVE_INFINITY)
      await Promise.resolve()
      ctx.progress(4, 4, 'done')
      return 'progressed'
    }),
    log: tool({}, (_, ctx) => {
      for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const) {
        ctx.log(level, { said: level }, 'matrix')
      }
      return 'logged'
    }),
    log_odd: tool({}, (_, ctx) => {
      ctx.log('emergency', undefined)
      ctx.log('emergency', 10n)
      return 'logged'
    }),
    hang: tool({}, async (_, ctx) => {
      ctx.log('emergency', 'hanging')
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
      state.cancelled.push(String(ctx.signal.reason))
      ctx.progress(99)
      ctx.log('emergency', 'after the end')
      return 'too late'
    }),
  }
}

/** Steers the fixture from outside and reads what it has noted. */
function controlTool(state: FixtureState) {
  const operations: { [name: string]: (value: string) => unknown } = {
    'add-tool': (name) =>
      void state.server?.tool(
        name,
        tool({}, () => 'new'),
      ),
    'remove-tool': (name) => state.server?.remove('tool', name),
    'add-prompt': (name) =>
      void state.server?.prompt(
        name,
        prompt({}, () => 'new'),
      ),
    'add-resource': (uri) =>
      void state.server?.resource(
        uri.replace(/\W/g, '-'),
        resource({ uri }, () => 'new'),
      ),
    'remove-resource': (uri) => state.server?.remove('resource', uri),
    changed: (what) => state.server?.changed(what),
    echo: () => state.server?.announce(ECHOES, 'notifications/com.example/echoed', { loud: true }),
    done: (value) => {
      state.done = value === 'true'
    },
    question: (value) => {
      state.question = value
    },
    read: () => ({
      errors: state.errors,
      effects: state.effects,
      cancelled: state.cancelled,
      observed: state.observed,
    }),
    reset: () => {
      for (const name of Object.keys(state.effects)) delete state.effects[name]
      state.errors.length = 0
      state.cancelled.length = 0
      state.observed.length = 0
      state.done = false
      state.question = 'first'
    },
  }
  return tool({ input: z.object({ op: z.string(), value: z.string().default('') }) }, ({ op, value }) => {
    const operation = operations[op]
    if (operation === undefined) throw new ToolError(`no operation ${op}`)
    return { value: operation(value) ?? null }
  })
}

function fixtureResources(state: FixtureState) {
  return {
    readme: resource(
      {
        uri: 'file:///readme.txt',
        title: 'Read me',
        description: 'A text',
        mimeType: 'text/plain',
        size: 5,
        icons: ICONS,
        annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
        meta: { 'com.example/x': 1 },
        cache: { ttlMs: 60_000, scope: 'public' },
      },
      () => 'Hello',
    ),
    pixel: resource({ uri: 'file:///pixel.png', mimeType: 'image/png' }, () =>
      Uint8Array.from(atob(PIXEL), (c) => c.charCodeAt(0)),
    ),
    data: resource({ uri: 'data://json' }, () => ({ deep: [1, 2] })),
    several: resource({ uri: 'data://several' }, () => [
      { uri: 'data://several/1', text: 'one', _meta: { 'com.example/part': 1 } },
      { uri: 'data://several/2', blob: PIXEL, mimeType: 'image/png' },
    ]),
    gone: resource({ uri: 'data://gone' }, () => null as unknown as string),
    broken: resource({ uri: 'data://broken' }, () => {
      throw new Error('secret: hunter4')
    }),
    secret: resource({ uri: 'data://secret', visible: (principal) => principal?.id === 'alice' }, () => 'for alice'),
    ask: resource({ uri: 'data://ask' }, async (_, ctx) => {
      const { content } = await ctx.elicit('name', { message: 'Which?', form: z.object({ name: z.string() }) })
      return `asked ${content?.name}`
    }),
    users: resource(
      {
        uri: 'users://{id}/{+path}',
        title: 'Users',
        mimeType: 'application/json',
        complete: {
          id: (value) => ['alice', 'bob', 'carol'].filter((name) => name.startsWith(value)),
          path: (value, chosen) => [`${chosen.id ?? 'nobody'}/${value}`],
        },
        list: () => [{ uri: 'users://alice/home', name: 'alice-home' }],
      },
      ({ id, path }) => ({ id, path }),
    ),
    search: resource(
      {
        uri: 'search://{kind}{?q,lang}',
        complete: { q: () => Array.from({ length: 250 }, (_, index) => `word${index}`) },
      },
      ({ kind, q, lang }) => ({ kind, q: q ?? null, lang: lang ?? null }),
    ),
    vault: resource(
      { uri: 'vault://{key}', scopes: ['admin'], complete: { key: () => ['master'] } },
      ({ key }) => `vault ${key} ${state.done}`,
    ),
  }
}

function fixturePrompts() {
  return {
    greet: prompt(
      {
        title: 'Greeting',
        description: 'Greets',
        icons: ICONS,
        meta: { 'com.example/x': 1 },
        input: z.object({
          name: z.string().min(2).meta({ title: 'Name', description: 'Whom' }),
          tone: z.string().optional(),
        }),
        complete: { name: (value, { tone }) => [`${value}${tone ?? ''}!`], tone: () => ['warm', 'cold'] },
      },
      ({ name, tone }) => `Hello ${name}${tone === undefined ? '' : `, ${tone}`}`,
    ),
    by_hand: prompt({ arguments: [{ name: 'topic', required: true }, { name: 'extra' }] }, ({ topic }) => ({
      role: 'assistant',
      content: { type: 'text', text: `On ${topic}` },
    })),
    everything: prompt({}, () => BLOCKS.map((content) => ({ role: 'user' as const, content }))),
    whole: prompt({}, () => ({
      description: 'Own',
      messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
    })),
    failing: prompt({}, () => {
      throw new PorticoError('invalid-definition', 'secret: hunter5')
    }),
    ask: prompt({}, async (_, ctx) => {
      const { content } = await ctx.elicit({ message: 'Who?', form: z.object({ name: z.string() }) })
      return `for ${content?.name}`
    }),
    hidden: prompt(
      { visible: (principal) => principal?.id === 'alice', arguments: [{ name: 'x' }], complete: { x: () => ['y'] } },
      () => 'for alice',
    ),
  }
}
