/** Which servers a host has: those of the program and of the files, some of them, other ones later, and dead ones. */

import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { createHost, type Host } from '../src/assembly/host.ts'
import type { HostOptions } from '../src/assembly/options.ts'
import { defineServer } from '../src/config/define-server.ts'
import { loadConfig } from '../src/config/load-config.ts'
import { Models } from '../src/model/models.ts'
import { createScriptedModel } from '../src/model/script.ts'

let cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
})

const ALLOW = [{ id: 'all', outcome: 'allow' }]
const greeter = async () => ({
  server: createServer({ name: 'greeter', version: '1', tools: { greet: tool({}, () => 'hello') } }),
})
const local = (name: string, options: { [name: string]: string } = {}) =>
  defineServer(name, { kind: 'in-process', module: 'greeter', options })

async function start(options: Partial<HostOptions> = {}): Promise<Host> {
  const models = new Models({ env: {}, ollama: false })
  const host = await createHost({ rules: ALLOW, models, inProcess: new Map([['greeter', greeter]]), ...options })
  cleanups.push(() => host.close())
  return host
}

async function configFile(config: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-servers-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'portico.json')
  await writeFile(file, JSON.stringify(config))
  return file
}

const namesOf = ({ upstreams }: Host) => upstreams.views().map(({ name }) => name)

it('host 25: whoever is signed in can use what the server has at once', async () => {
  const host = await start({ servers: [local('a')] })
  await host.signIn('a')
  expect(host.catalogue.items(['tool']).map(({ name }) => name)).toEqual(['a_greet'])
})

describe('only', () => {
  it('connects the servers that it names, and leaves rules and models of the files as they are', async () => {
    const file = await configFile({
      servers: { b: { url: 'http://127.0.0.1:1/mcp' }, c: { command: 'portico-no-such-program' } },
      policy: { rules: [{ id: 'no-greeting', outcome: 'deny', effect: 'call', server: 'a' }] },
    })
    const host = await start({
      servers: [local('a'), local('b')],
      configFiles: [{ path: file, scope: 'user', form: 'portico' }],
      only: ['a'],
    })
    expect(namesOf(host)).toEqual(['a'])
    await expect(host.call('a_greet')).rejects.toMatchObject({ code: 'denied', data: { rule: 'no-greeting' } })
    await host.reload()
    expect(namesOf(host)).toEqual(['a'])
  })
})

it('takes a configuration that has been read already, and reads it again on request', async () => {
  const file = await configFile({ servers: { far: { url: 'http://127.0.0.1:1/mcp' } } })
  const config = await loadConfig({ files: [{ path: file, scope: 'user', form: 'portico' }] })
  const host = await start({ config })
  expect(namesOf(host)).toEqual(['far'])
  await writeFile(file, JSON.stringify({ servers: { near: { url: 'http://127.0.0.1:1/mcp' } } }))
  await host.reload()
  expect(namesOf(host)).toEqual(['near'])
})

describe('setServers', () => {
  it('connects what is new or other, ends what is gone, and leaves the rest alone', async () => {
    const host = await start({ servers: [local('stays'), local('changes'), local('goes')] })
    const before = await Promise.all(['stays', 'changes'].map((name) => host.upstreams.client(name)))
    const told: string[][] = []
    host.on('servers', (servers) => told.push(servers.map(({ name }) => name)))
    await host.setServers([local('stays'), local('changes', { colour: 'blue' }), local('comes')])
    expect(namesOf(host).sort()).toEqual(['changes', 'comes', 'stays'])
    expect(told).toEqual([['stays', 'changes', 'comes']])
    const after = await Promise.all(['stays', 'changes'].map((name) => host.upstreams.client(name)))
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([true, false])
    await expect(host.call('comes_greet')).resolves.toMatchObject({ server: 'comes' })
    await expect(host.upstreams.client('goes')).rejects.toMatchObject({ code: 'unknown-server' })
  })

  it('keeps the servers of the files, whose entries win, and what `only` says', async () => {
    const file = await configFile({ servers: { filed: { url: 'http://127.0.0.1:1/mcp' } } })
    const host = await start({
      configFiles: [{ path: file, scope: 'user', form: 'portico' }],
      only: ['filed', 'own'],
    })
    await host.setServers([local('filed'), local('own'), local('other')])
    expect(namesOf(host)).toEqual(['filed', 'own'])
    expect(host.upstreams.view('filed')?.config.target.kind).toBe('http')
  })
})

describe('dead servers', () => {
  it('do not keep the first turn waiting: the model gets the tools that are there', async () => {
    // Takes connections and says nothing.
    const silent = createListener(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    cleanups.push(() => void silent.close())
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`
    const script = createScriptedModel({ replies: [{ text: 'hello' }] })
    const models = new Models({ env: {}, ollama: false })
    models.add({ id: 'm', provider: 'openai-compatible', model: 'm', baseUrl: 'http://m.invalid' }, script.fetch)
    const mute = defineServer('mute', { kind: 'http', url, headers: {} })
    const host = await start({ models, servers: [mute, local('a'), local('b')] })
    await host.converse({ session: 'first' }).send('Greet me', () => {})
    const offered = JSON.stringify(script.requests[0]?.tools)
    expect(offered).toContain('a_greet')
    expect(offered).toContain('b_greet')
    expect(host.upstreams.state('mute')?.state).toBe('starting')
  })
})
