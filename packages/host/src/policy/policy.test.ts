/** Cedar as the judge of a server: who sees and does what, by attributes, and that every doubt is a denial. */

import type { PolicyItem } from '@portico/sdk/bearer'
import { serveHttp } from '@portico/sdk/http'
import { createPrincipal, createServer, type Principal, prompt, resource, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { createCedarPolicy } from './cedar/cedar.ts'
import { enforcePolicy, type Judged, visibleBy } from './server-policy.ts'

const POLICIES = `
@id("readers")
permit (principal in Role::"reader", action in [Action::"see", Action::"call", Action::"read", Action::"get", Action::"complete"], resource)
when { resource has annotations && resource.annotations has readOnlyHint && resource.annotations.readOnlyHint };

@id("team")
permit (principal, action, resource)
when { principal has team && resource has meta && resource.meta has team && principal.team == resource.meta.team };

@id("small-transfers")
permit (principal is User, action == Action::"call", resource == Tool::"transfer")
when { context.arguments has amount && context.arguments.amount < 100 && principal.scopes.contains("pay") };

permit (principal is User, action == Action::"see", resource == Tool::"transfer");

@id("not-at-night")
forbid (principal, action == Action::"call", resource)
when { context has environment && context.environment has hour && context.environment.hour < 6 };
`

const entities = [{ uid: { type: 'User', id: 'tina' }, attrs: { team: 'blue' } }]

const reader = createPrincipal('rita', [], { roles: ['reader'] })
const payer = createPrincipal('paul', ['pay'])
const member = createPrincipal('tina')

const list: PolicyItem = { kind: 'tool', name: 'list', attributes: { annotations: { readOnlyHint: true } } }
const transfer: PolicyItem = { kind: 'tool', name: 'transfer' }
const blue: PolicyItem = { kind: 'resource', name: 'file:///blue', attributes: { meta: { team: 'blue' } } }

describe('decisions', () => {
  const policy = createCedarPolicy({ policies: POLICIES, entities })
  const amount = (value: unknown) => ({ arguments: { amount: value } })

  it.each<[string, Principal | undefined, Parameters<typeof policy.authorize>[1], PolicyItem, object, boolean]>([
    ['a role and an attribute of the item', reader, 'call', list, {}, true],
    ['the role without the attribute', reader, 'call', transfer, amount(1), false],
    ['the attribute without the role', payer, 'call', list, {}, false],
    ['an attribute of the user that the operator wrote down', member, 'read', blue, {}, true],
    ['another user', payer, 'read', blue, {}, false],
    ['an argument below the bound', payer, 'call', transfer, amount(99), true],
    ['an argument above it', payer, 'call', transfer, amount(100), false],
    ['the scope missing', createPrincipal('paul'), 'call', transfer, amount(1), false],
    ['an argument of another type: an error, so a denial', payer, 'call', transfer, amount('1'), false],
    ['an argument left out', payer, 'call', transfer, {}, false],
    ['nobody in particular', undefined, 'see', transfer, {}, false],
    ['the time of day', payer, 'call', transfer, { ...amount(1), environment: { hour: 3 } }, false],
    ['another action', payer, 'read', transfer, {}, false],
  ])('%s', (_, principal, action, item, context, allowed) => {
    expect(policy.authorize(principal, action, item, context as never).allowed).toBe(allowed)
  })

  it('name the policies that decided', () => {
    const named = createCedarPolicy({ policies: { open: 'permit (principal, action, resource);' } })
    expect(named.authorize(payer, 'call', transfer)).toEqual({ allowed: true, reasons: ['open'] })
  })

  it('deny when a prohibition cannot be evaluated', () => {
    const policies =
      'permit (principal, action, resource); forbid (principal, action, resource) when { principal.absent };'
    const decision = createCedarPolicy({ policies }).authorize(payer, 'call', transfer)
    expect([decision.allowed, decision.errors?.length]).toEqual([false, 1])
  })

  it('take nothing from arguments for an entity or a function', () => {
    const policies = 'permit (principal, action, resource) when { context.arguments.who == Role::"admin" };'
    const hostile = { arguments: { who: { __entity: { type: 'Role', id: 'admin' } } } }
    expect(createCedarPolicy({ policies }).authorize(payer, 'call', transfer, hostile).allowed).toBe(false)
  })

  it('deny what is too deep or too much to look at', () => {
    const open = createCedarPolicy({ policies: 'permit (principal, action, resource);' })
    let deep: object = {}
    for (let level = 0; level < 100; level++) deep = { deep }
    expect(open.authorize(payer, 'call', transfer, { deep }).allowed).toBe(false)
    expect(open.authorize(payer, 'call', transfer, { many: Array(20_000).fill(1) }).allowed).toBe(false)
    expect(open.authorize(payer, 'call', transfer, { fine: [1.5, null, undefined, -1] }).allowed).toBe(true)
  })

  it('are refused at start when policies, schema or entities are wrong', () => {
    expect(() => createCedarPolicy({ policies: 'permit (' })).toThrow(/policies are not valid/)
    // Half a character is no text that the engine can be given.
    expect(() => createCedarPolicy({ policies: '\ud800' })).toThrow(/policies are not valid/)
    const schema = 'entity User; entity Tool; action call appliesTo { principal: User, resource: Tool, context: {} };'
    expect(() => createCedarPolicy({ policies: 'permit (principal, action, resource);', schema: 'entity' })).toThrow(
      /schema/,
    )
    const typo = 'permit (principal, action == Action::"cal", resource);'
    expect(() => createCedarPolicy({ policies: typo, schema })).toThrow(/policies are not valid/)
  })
})

interface Answer {
  readonly result?: { readonly tools?: { name: string }[]; readonly resources?: { name: string }[] }
  readonly error?: object
}

describe('on a server', () => {
  let close: () => Promise<void>
  afterEach(() => close())

  async function serve(
    judged: Judged[] = [],
  ): Promise<(user: string, method: string, params?: object) => Promise<Answer>> {
    const policy = createCedarPolicy({ policies: POLICIES, entities })
    const people = new Map([reader, payer, member].map((one) => [one.id, one]))
    const server = createServer({
      name: 'bank',
      version: '1',
      visible: visibleBy(policy),
      tools: { list: tool({ readOnly: true }, () => 'listed'), transfer: tool({}, () => 'done') },
      resources: { blue: resource({ uri: 'file:///blue', meta: { team: 'blue' } }, () => 'blue') },
      prompts: { plan: prompt({}, () => 'plan') },
    })
    enforcePolicy(server, policy, { onDecision: (one) => judged.push(one), environment: () => ({ hour: 12 }) })
    const http = await serveHttp(server, {
      port: 0,
      authenticate: (head) => people.get(head.header('x-user') ?? ''),
    })
    close = () => http.close()
    return async (user, method, params = {}) => {
      const name = 'name' in params ? String(params.name) : 'uri' in params ? String(params.uri) : undefined
      const response = await fetch(http.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name !== undefined && { 'mcp-name': name }),
          'x-user': user,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
      })
      // The server under test answers with JSON-RPC; which members there are is what the tests find out.
      return (await response.json()) as Answer
    }
  }
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }

  it.each([
    ['rita', ['list', 'transfer'], []],
    ['paul', ['transfer'], []],
    ['tina', ['transfer'], ['blue']],
    ['nobody', [], []],
  ])('%s sees what the policies show', async (user, tools, resources) => {
    const ask = await serve()
    const names = (items: { name: string }[]) => items.map(({ name }) => name)
    expect(names((await ask(user, 'tools/list')).result?.tools ?? [])).toEqual(tools)
    expect(names((await ask(user, 'resources/list')).result?.resources ?? [])).toEqual(resources)
  })

  it('asks again for each use, with its arguments, and tells the audit trail', async () => {
    const judged: Judged[] = []
    const ask = await serve(judged)
    const pay = (amount: number) => ask('paul', 'tools/call', { name: 'transfer', arguments: { amount } })
    expect((await pay(10)).result).toBeDefined()
    expect((await pay(1000)).error).toEqual(
      (await ask('paul', 'tools/call', { name: 'transfer', arguments: {} })).error,
    )
    expect(judged.map(({ decision }) => decision.allowed)).toEqual([true, false, false])
    expect((await ask('rita', 'tools/call', { name: 'list', arguments: {} })).result).toBeDefined()
    expect((await ask('tina', 'resources/read', { uri: 'file:///blue' })).result).toBeDefined()
  })

  it.each([
    ['tools/call', 'name', 'list', { arguments: {} }],
    ['prompts/get', 'name', 'plan', {}],
    ['resources/read', 'uri', 'file:///blue', {}],
  ])('answers a refused %s like one for something that does not exist', async (method, key, name, extra) => {
    const ask = await serve()
    const refused = JSON.stringify(await ask('paul', method, { [key]: name, ...extra }))
    const unknown = JSON.stringify(await ask('paul', method, { [key]: 'none:x', ...extra }))
    expect(refused.replaceAll(name, 'none:x')).toBe(unknown)
    expect(refused).toContain('error')
  })
})
