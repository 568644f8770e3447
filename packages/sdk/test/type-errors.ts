/** Deliberate mistakes and what the compiler says of each: the part of the message that tells an author what to do. */

export interface Mistake {
  readonly what: string
  readonly code: string
  readonly says: string
}

export const MISTAKES: readonly Mistake[] = [
  {
    what: 'an argument that the schema does not have',
    code: `tool({ input: z.object({ a: z.string() }) }, ({ b }) => b)`,
    says: "Property 'b' does not exist on type '{ a: string; }'.",
  },
  {
    what: 'an argument of another type',
    code: `tool({ input: z.object({ a: z.string() }) }, ({ a }) => a.toFixed(2))`,
    says: "Property 'toFixed' does not exist on type 'string'. Did you mean 'fixed'?",
  },
  {
    what: 'a result of another type',
    code: `tool({ output: z.object({ n: z.number() }) }, () => ({ n: 'x' }))`,
    says: "Type 'string' is not assignable to type 'number'.",
  },
  {
    what: 'a result without a member',
    code: `tool({ output: z.object({ n: z.number() }) }, () => ({}))`,
    says: "Type '{}' is not assignable to type",
  },
  {
    what: 'an option that does not exist',
    code: `tool({ inputSchema: z.object({}) }, () => 'x')`,
    says: "Object literal may only specify known properties, and 'inputSchema' does not exist in type 'ToolOptions<undefined, undefined>'.",
  },
  {
    what: 'a description that is no text',
    code: `tool({ description: 5 }, () => 'x')`,
    says: "Type 'number' is not assignable to type 'string'.",
  },
  { what: 'a tool without a handler', code: `tool({ description: 'x' })`, says: `Expected 2 arguments, but got 1.` },
  {
    what: 'a record that is no tool',
    code: `createServer({ name: 'a', version: '1', tools: { a: { description: 'x' } } })`,
    says: "Object literal may only specify known properties, and 'description' does not exist in type 'ToolDefinition<unknown, unknown>'.",
  },
  {
    what: 'a function that is no tool',
    code: `createServer({ name: 'a', version: '1', tools: { a: () => 'x' } })`,
    says: "Type '() => string' is not assignable to type 'ToolDefinition<unknown, unknown>'.",
  },
  {
    what: 'a server without a version',
    code: `createServer({ name: 'a' })`,
    says: "Property 'version' is missing in type '{ name: string; }' but required in type 'ServerDefinition<{}>'.",
  },
  {
    what: 'a variable that the template does not have',
    code: `resource({ uri: 'x://{id}' }, ({ name }) => name)`,
    says: `Property 'name' does not exist on type 'Members<"id"> & Partial<Members<never>>'.`,
  },
  {
    what: 'an optional variable taken for granted',
    code: `resource({ uri: 'x://a{?tab}' }, ({ tab }) => tab.length)`,
    says: "'tab' is possibly 'undefined'.",
  },
  {
    what: 'a resource without a URI',
    code: `resource({ mimeType: 'text/plain' }, () => 'x')`,
    says: "Property 'uri' is missing in type '{ mimeType: string; }' but required in type 'ResourceOptions<string>'.",
  },
  {
    what: 'a prompt that returns a number',
    code: `prompt({}, () => 5)`,
    says: "Type 'number' is not assignable to type 'Promise<PromptReturn> | PromptReturn'.",
  },
  {
    what: 'a method that middleware cannot be put around',
    code: `server.use('tools/cal', (_, next) => next())`,
    says: `Argument of type '"tools/cal"' is not assignable to parameter of type 'keyof MethodResults'.`,
  },
  {
    what: 'a log level that does not exist',
    code: `server.log('loud', 'x')`,
    says: `Argument of type '"loud"' is not assignable to parameter of type`,
  },
  {
    what: 'a kind that cannot be removed',
    code: `server.remove('tols', 'a')`,
    says: `Argument of type '"tols"' is not assignable to parameter of type '"prompt" | "resource" | "tool"'.`,
  },
  {
    what: 'progress in words',
    code: `tool({}, (_, ctx) => { ctx.progress('half'); return 'x' })`,
    says: "Argument of type 'string' is not assignable to parameter of type 'number'.",
  },
  {
    what: 'a question in a list context',
    code: `server.use('tools/list', ({ ctx }, next) => { ctx.elicit('k', { message: 'x' }); return next() })`,
    says: "Property 'elicit' does not exist on type 'RequestContext<unknown>'.",
  },
  {
    what: 'a tool that the server does not have',
    code: `client.tools.bad({})`,
    says: "Property 'bad' does not exist on type",
  },
  {
    what: 'an argument that the tool does not take',
    code: `client.tools.add({ a: 1, c: 2 })`,
    says: "Object literal may only specify known properties, and 'c' does not exist in type '{ a: number; b: number; }'.",
  },
  {
    what: 'a tool of another name, called by it',
    code: `client.callTool('ad', { a: 1, b: 2 })`,
    says: `Argument of type '"ad"' is not assignable to parameter of type '"add" | "greet"'.`,
  },
  {
    what: 'a missing argument, with callTool',
    code: `client.callTool('add', { a: 1 })`,
    says: "Property 'b' is missing in type '{ a: number; }' but required in type '{ a: number; b: number; }'.",
  },
  {
    what: 'structured content read as something else',
    code: `(await client.callTool('add', { a: 1, b: 2 })).structuredContent?.sum`,
    says: "Property 'sum' does not exist on type '{ total: number; }'.",
  },
  {
    what: 'a text that was returned without output, read as something else',
    code: `(await client.tools.greet()).total`,
    says: "Property 'total' does not exist on type 'string'.",
  },
  {
    what: 'content without the value that output promises',
    code: `tool({ output: z.object({ n: z.number() }) }, () => ({ content: [] }))`,
    says: "Property 'structuredContent' is missing in type '{ content: never[]; }' but required in type 'ResultWith<{ n: number; }>'.",
  },
  {
    what: 'a plain result where result() is asked for',
    code: `const full: FullResult = { content: [] }; void full`,
    says: "Property ''~wrap this in result()'' is missing in type '{ content: never[]; }' but required in type 'FullResult'.",
  },
  {
    what: 'a missing argument',
    code: `client.tools.add({ a: 1 })`,
    says: "Property 'b' is missing in type '{ a: number; }' but required in type '{ a: number; b: number; }'.",
  },
  {
    what: 'no arguments where some are required',
    code: `client.tools.add()`,
    says: `Expected 1-2 arguments, but got 0.`,
  },
  {
    what: 'a result read as something else',
    code: `(await client.tools.add({ a: 1, b: 2 })).total.trim()`,
    says: "Property 'trim' does not exist on type 'number'.",
  },
  {
    what: 'a revision that does not exist',
    code: `connect('http://localhost', { versions: '2025-01-01' })`,
    says: `Type '"2025-01-01"' is not assignable to type`,
  },
  {
    what: 'an option of connect that does not exist',
    code: `connect('http://localhost', { header: {} })`,
    says: "Object literal may only specify known properties, but 'header' does not exist in type 'ConnectOptions'. Did you mean to write 'headers'?",
  },
  {
    what: 'a limit that does not exist',
    code: `connect('http://localhost', { limits: { maxBytes: 1 } })`,
    says: "Object literal may only specify known properties, and 'maxBytes' does not exist in type 'Partial<ClientLimits>'.",
  },
  {
    what: 'a target that is a number',
    code: `connect(3000)`,
    says: "Argument of type '3000' is not assignable to parameter of type",
  },
  {
    what: 'an event that does not exist',
    code: `client.on('changed', () => {})`,
    says: `Argument of type '"changed"' is not assignable to parameter of type 'keyof ClientEvents'.`,
  },
  {
    what: 'serving what is no server',
    code: `serveHttp({ name: 'a' })`,
    says: "Object literal may only specify known properties, and 'name' does not exist in type 'Server<ToolRecord>'.",
  },
  {
    what: 'a port in words',
    code: `serveHttp(server, { port: '3000' })`,
    says: "Type 'string' is not assignable to type 'number'.",
  },
  {
    what: 'a serving limit that does not exist',
    code: `serveHttp(server, { limits: { maxInflight: 1 } })`,
    says: "Object literal may only specify known properties, but 'maxInflight' does not exist in type 'Partial<ServeLimits>'. Did you mean to write 'maxInFlight'?",
  },
  {
    what: 'a principal without an id',
    code: `createPrincipal({ scopes: [] })`,
    says: "Argument of type '{ scopes: never[]; }' is not assignable to parameter of type 'string'.",
  },
  {
    what: 'scopes that are one text',
    code: `tool({ scopes: 'admin' }, () => 'x')`,
    says: "Type 'string' is not assignable to type 'readonly string[]'.",
  },
  {
    what: 'a content block of no kind',
    code: `result({ content: [{ type: 'img', data: '' }] })`,
    says: `Type '"img"' is not assignable to type '"audio" | "image" | "resource" | "resource_link" | "text"'.`,
  },
  {
    what: 'an error with a wrong part',
    code: `new ToolError('x', { contents: [] })`,
    says: "Object literal may only specify known properties, but 'contents' does not exist in type '{ content?: ContentBlock[] | undefined; cause?: unknown; }'. Did you mean to write 'content'?",
  },
  {
    what: 'a handler that takes a state nobody made',
    code: `tool({}, (_, ctx) => ctx.state.user)`,
    says: "'ctx.state' is of type 'unknown'.",
  },
]

/** The line of the first of them. */
export const FIRST_LINE = 12

/** The file that holds them, each on a line of its own. */
export function toSource(door: (name: string) => string): string {
  return [
    `import { z } from 'zod'`,
    `import { createPrincipal, createServer, type FullResult, prompt, resource, result, tool, ToolError } from '${door('server')}'`,
    `import { connect } from '${door('client')}'`,
    `import { serveHttp } from '${door('http')}'`,
    `const input = z.object({ a: z.number(), b: z.number() })`,
    `const add = tool({ input, output: z.object({ total: z.number() }) }, ({ a, b }) => ({ total: a + b }))`,
    `const server = createServer({ name: 'a', version: '1', tools: { add, greet: tool({}, () => 'hello') } })`,
    `const client = await connect<typeof server>('http://localhost')`,
    `void [createPrincipal, prompt, resource, result, ToolError, serveHttp, client]`,
    ``,
    `export const all: (() => unknown)[] = [`,
    ...MISTAKES.map(({ code }) => `  async () => { ${code.startsWith('(') ? 'void ' : ''}${code} },`),
    `]`,
  ].join('\n')
}
