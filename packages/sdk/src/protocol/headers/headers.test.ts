import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { checkHeaders, type ParamHeader, paramHeaders, standardHeaders } from './headers.ts'

const LIST: ParamHeader[] = [
  { header: 'Region', path: ['region'], type: 'string' },
  { header: 'Shard', path: ['where', 'shard'], type: 'integer' },
  { header: 'Dry', path: ['dry'], type: 'boolean' },
]

const readFrom = (headers: { [name: string]: string }) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { header: (name: string) => lower.get(name.toLowerCase()) }
}

const check = (
  method: string,
  params: JsonObject,
  headers: { [name: string]: string },
  list?: readonly ParamHeader[],
) =>
  checkHeaders({
    head: readFrom({ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...headers }),
    method,
    params,
    version: '2026-07-28',
    ...(list === undefined ? {} : { paramHeaders: list }),
  })

describe('what a client sends', () => {
  it.each([
    ['tools/call', { name: 'get' }, { 'Mcp-Name': 'get' }],
    ['prompts/get', { name: 'grüß' }, { 'Mcp-Name': '=?base64?Z3LDvMOf?=' }],
    ['resources/read', { uri: 'file:///a%20b', name: 'no' }, { 'Mcp-Name': 'file:///a%20b' }],
    ['tools/list', { name: 'no' }, {}],
    ['tools/call', { name: 1 }, {}],
  ])('%s with %j', (method, params, name) => {
    expect(standardHeaders('2026-07-28', method, params)).toEqual({
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...name,
    })
  })

  it.each([
    ['all given', { region: 'us', where: { shard: 4 }, dry: false }, ['us', '4', 'false']],
    ['null and absent', { region: null }, []],
    ['empty', { region: '' }, ['']],
    ['not primitive', { region: ['us'], where: 3 }, []],
    ['injected', { region: 'a\r\nX: 1' }, ['=?base64?YQ0KWDogMQ==?=']],
    ['inherited', Object.create({ region: 'us' }), []],
  ])('mirrors arguments: %s', (_, args, values) => {
    expect(paramHeaders(LIST, args).map(([, value]) => value)).toEqual(values)
  })

  it('names the headers', () => {
    expect(paramHeaders(LIST, { region: 'us' })).toEqual([['Mcp-Param-Region', 'us']])
  })
})

describe('what a server compares (Streamable HTTP, "Server Validation")', () => {
  it.each([
    ['all fits', 'tools/call', { name: 'get' }, { 'Mcp-Name': 'get' }],
    ['spaces around', 'tools/call', { name: 'get' }, { 'Mcp-Name': '  get ', 'Mcp-Method': ' tools/call' }],
    ['names in another case', 'tools/call', { name: 'get' }, { 'MCP-NAME': 'get' }],
    ['an encoded name', 'tools/call', { name: 'Hello' }, { 'Mcp-Name': '=?base64?SGVsbG8=?=' }],
    ['half a surrogate', 'tools/call', { name: 'a\ud800' }, { 'Mcp-Name': '=?base64?Ye+/vQ==?=' }],
    ['a uri', 'resources/read', { uri: 'a:b' }, { 'Mcp-Name': 'a:b' }],
    ['no name needed', 'tools/list', {}, {}],
    ['a stray name', 'tools/list', {}, { 'Mcp-Name': 'x' }],
    ['no name in the body', 'tools/call', {}, {}],
  ])('accepts: %s (sec-18)', (_, method, params, headers) => {
    expect(check(method, params, headers)).toBeUndefined()
  })

  const name = { name: 'get' }
  it.each([
    ['another method', { 'Mcp-Method': 'tools/list', 'Mcp-Name': 'get' }],
    ['the method in another case', { 'Mcp-Method': 'TOOLS/CALL', 'Mcp-Name': 'get' }],
    ['another name', { 'Mcp-Name': 'got' }],
    ['the name in another case', { 'Mcp-Name': 'GET' }],
    ['no name', {}],
    ['the name twice', { 'Mcp-Name': 'get, get' }],
    ['a badly encoded name', { 'Mcp-Name': '=?base64?Z2V0=?=' }],
    ['another version', { 'Mcp-Name': 'get', 'MCP-Protocol-Version': '2025-11-25' }],
    ['the version twice', { 'Mcp-Name': 'get', 'MCP-Protocol-Version': '2026-07-28, 2026-07-28' }],
  ])('refuses: %s (sec-17, sec-18)', (_, headers) => {
    expect(check('tools/call', name, headers)).toMatch(/^Header mismatch: /)
  })

  it.each(['Mcp-Method', 'MCP-Protocol-Version'])('refuses a request without %s', (missing) => {
    const all = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' }
    const head = readFrom(Object.fromEntries(Object.entries(all).filter(([key]) => key !== missing)))
    expect(checkHeaders({ head, method: 'tools/list', params: {}, version: '2026-07-28' })).toContain(missing)
  })

  it('takes the name of an extension method from where the extension says', () => {
    const parts = { method: 'tasks/get', params: { taskId: 't1' }, version: '2026-07-28' }
    const standard = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tasks/get' }
    const nameSource = (method: string) => (method === 'tasks/get' ? 'taskId' : undefined)
    const named = (value: string) => readFrom({ ...standard, 'Mcp-Name': value })
    expect(checkHeaders({ ...parts, head: named('t1'), nameSource })).toBeUndefined()
    expect(checkHeaders({ ...parts, head: named('t2'), nameSource })).toContain("'t2'")
  })

  it('shows a long value cut short', () => {
    expect(check('tools/call', name, { 'Mcp-Name': 'x'.repeat(5000) })?.length).toBeLessThan(300)
  })
})

describe('mirrored arguments (sec-22)', () => {
  const call = (args: JsonObject | undefined, headers: { [name: string]: string }) =>
    check('tools/call', { name: 'get', arguments: args }, { 'Mcp-Name': 'get', ...headers }, LIST)

  it.each([
    ['equal text', { region: 'us' }, { 'Mcp-Param-Region': 'us' }],
    ['encoded text', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' }],
    ['text that only looks encoded', { region: '=?base64?SGVsbG8=' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=' }],
    ['empty text', { region: '' }, { 'Mcp-Param-Region': '' }],
    ['a number', { where: { shard: 42 } }, { 'mcp-param-shard': '42' }],
    ['a number spelled otherwise', { where: { shard: 42 } }, { 'Mcp-Param-Shard': '42.0' }],
    ['a truth', { dry: true }, { 'Mcp-Param-Dry': 'true' }],
    ['null and nothing', { region: null }, {}],
    ['no arguments', undefined, {}],
    ['a header nobody knows', {}, { 'Mcp-Param-Other': '\u0007' }],
  ])('accepts: %s', (_, args, headers) => expect(call(args, headers)).toBeUndefined())

  it.each([
    ['another text', { region: 'us' }, { 'Mcp-Param-Region': 'eu' }],
    ['another case', { region: 'us' }, { 'Mcp-Param-Region': 'US' }],
    ['a missing header', { region: 'us' }, {}],
    ['a missing header for false', { dry: false }, {}],
    ['a header without an argument', {}, { 'Mcp-Param-Region': 'us' }],
    ['a header for null', { region: null }, { 'Mcp-Param-Region': 'null' }],
    ['bad padding', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }],
    ['bad characters', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' }],
    ['invalid characters', { region: 'é' }, { 'Mcp-Param-Region': 'é' }],
    ['another number', { where: { shard: 42 } }, { 'Mcp-Param-Shard': '43' }],
    ['a number in hexadecimal', { where: { shard: 42 } }, { 'Mcp-Param-Shard': '0x2a' }],
    ['nothing for zero', { where: { shard: 0 } }, { 'Mcp-Param-Shard': '' }],
    ['a number too large to be exact', { where: { shard: 2 ** 53 } }, { 'Mcp-Param-Shard': '9007199254740992' }],
    ['a truth in another case', { dry: true }, { 'Mcp-Param-Dry': 'True' }],
    ['an argument that is an object', { region: {} }, { 'Mcp-Param-Region': '[object Object]' }],
    ['the header twice', { region: 'us' }, { 'Mcp-Param-Region': 'us, us' }],
  ])('refuses: %s', (_, args, headers) => expect(call(args, headers)).toMatch(/^Header mismatch: /))
})
