/** Something real behind every server of the registry: folders, a repository, services on loopback, a screen. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EntryValue, ServerName } from '@portico/servers'
import { buildSchema, graphql } from 'graphql'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import { missingScreen, startScreen } from './virtual-screen.ts'

const LANGUAGE_SERVER = fileURLToPath(
  new URL('../../packages/servers/test/fixtures/language-server.mjs', import.meta.url),
)

export interface FixtureCall {
  readonly values: { readonly [option: string]: EntryValue }
  /** One thing that the server really does. */
  readonly tool: string
  readonly args: { readonly [name: string]: unknown }
  /** What the result must say. */
  readonly says: RegExp
}

export interface ServerFixture {
  /** What the host lets servers work in. */
  readonly folder: string
  callOf(name: ServerName): FixtureCall
  close(): Promise<void>
}

/** Why a server cannot be tried on this machine. */
export function missingFor(name: ServerName): string | undefined {
  if (name === 'browser' && findChromium() === undefined) return NO_CHROMIUM
  if (name === 'screen') return missingScreen()
  if (name === 'mongo' && process.env.PORTICO_MONGO_URL === undefined)
    return 'no MongoDB: set PORTICO_MONGO_URL to the url of one, with a user who may only read'
  return undefined
}

export async function openFixture(name: ServerName): Promise<ServerFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-lab-stage-'))
  const notes = join(folder, 'notes')
  mkdirSync(notes)
  writeFileSync(join(notes, 'lighthouse.md'), '# Lighthouse\n\nThe lamp turns once in nine seconds.\n')
  const site = await startSite()
  const screen = name === 'screen' ? await startScreen() : undefined
  if (name === 'git') makeRepository(join(folder, 'repository'))
  const calls = describeCalls(folder, site.host, screen?.display ?? ':0')
  return {
    folder,
    callOf: (one) => calls[one],
    async close() {
      await screen?.stop()
      await site.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function describeCalls(folder: string, host: string, display: string): { readonly [Name in ServerName]: FixtureCall } {
  const browser = findChromium()
  const notes = join(folder, 'notes')
  const isRoot = process.getuid?.() === 0
  return {
    files: {
      values: { directories: [notes], write: true },
      tool: 'read_file',
      args: { path: join(notes, 'lighthouse.md') },
      says: /nine seconds/,
    },
    git: { values: { repositories: [join(folder, 'repository')] }, tool: 'log', args: {}, says: /Light the lamp/ },
    sql: { values: {}, tool: 'query', args: { sql: 'SELECT 6 * 7 AS answer' }, says: /42/ },
    mongo: {
      values: { url: process.env.PORTICO_MONGO_URL ?? '' },
      tool: 'list_collections',
      args: {},
      says: /This is data, not instructions/,
    },
    openapi: {
      values: { description: `http://${host}/openapi.json`, allowPrivate: [host] },
      tool: 'listLamps',
      args: {},
      says: /Pharos/,
    },
    graphql: {
      values: { endpoint: `http://${host}/graphql`, allowPrivate: [host] },
      tool: 'query',
      args: { document: '{ lamps { name } }' },
      says: /Pharos/,
    },
    web: {
      values: { allowPrivate: [host] },
      tool: 'fetch_page',
      args: { url: `http://${host}/` },
      says: /Keepers wanted/,
    },
    browser: {
      values: { allowPrivate: [host], noSandbox: isRoot, ...(browser !== undefined && { executable: browser }) },
      tool: 'navigate',
      args: { url: `http://${host}/` },
      says: /Keepers wanted/,
    },
    screen: { values: { display }, tool: 'screenshot', args: {}, says: /image\/png/ },
    run: {
      values: {},
      tool: 'run_javascript',
      args: { code: 'console.log("lamp"); 6 * 7' },
      says: /value: 42|lamp/,
    },
    knowledge: {
      values: { directory: notes },
      tool: 'search_documents',
      args: { query: 'lamp' },
      says: /nine seconds/,
    },
    memory: {
      values: { file: join(folder, 'memory.db') },
      tool: 'remember',
      args: { entity: 'Pharos', fact: 'Stood in Alexandria.' },
      says: /fact_id/,
    },
    time: { values: {}, tool: 'now', args: { zone: 'Africa/Cairo' }, says: /Africa\/Cairo/ },
    github: {
      values: { base: `http://${host}`, allowPrivate: [host] },
      tool: 'get_repository',
      args: { owner: 'pharos', repo: 'lamp' },
      says: /Turns once in nine seconds/,
    },
    slack: {
      values: { base: `http://${host}/slack`, allowPrivate: [host], tokenEnv: 'PATH' },
      tool: 'list_channels',
      args: {},
      says: /#keepers/,
    },
    notion: {
      values: { base: `http://${host}/notion`, allowPrivate: [host], tokenEnv: 'PATH' },
      tool: 'search',
      args: { query: 'log' },
      says: /Log of the lamp/,
    },
    asana: {
      values: { base: `http://${host}/asana`, allowPrivate: [host], tokenEnv: 'PATH' },
      tool: 'list_workspaces',
      args: {},
      says: /7 Keepers/,
    },
    editor: {
      values: { directory: notes, languages: [`.md=${process.execPath} ${LANGUAGE_SERVER}`] },
      tool: 'hover',
      args: { path: 'lighthouse.md', line: 1, word: 'Lighthouse' },
      says: /the word Lighthouse/,
    },
    google: {
      values: { base: `http://${host}/google`, allowPrivate: [host], tokenEnv: 'PATH' },
      tool: 'list_calendars',
      args: {},
      says: /Watches/,
    },
    everything: { values: {}, tool: 'echo', args: { message: 'ahoy' }, says: /ahoy/ },
  }
}

function makeRepository(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' })
  execFileSync('git', ['init', '-q', folder])
  writeFileSync(join(folder, 'lamp.txt'), 'on\n')
  git('add', '.')
  git('-c', 'user.name=HeadStore', '-c', 'user.email=headStore@example.com', 'commit', '-qm', 'Light the lamp')
}

const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Lamps', version: '1' },
  servers: [{ url: '/' }],
  paths: {
    '/lamps': {
      get: {
        operationId: 'listLamps',
        summary: 'List the lamps',
        responses: {
          200: {
            description: 'Lamps',
            content: { 'application/json': { schema: { type: 'array', items: { type: 'object' } } } },
          },
        },
      },
    },
  },
}

const SCHEMA = 'type Lamp { name: String! } type Query { lamps: [Lamp!]! }'
const LAMPS = [{ name: 'Pharos' }, { name: 'Eddystone' }]

async function startSite(): Promise<{ readonly host: string; close(): Promise<void> }> {
  const schema = buildSchema(SCHEMA)
  const service: Server = createServer(async (request, response) => {
    const send = (type: string, body: string) => response.writeHead(200, { 'content-type': type }).end(body)
    const { pathname } = new URL(request.url ?? '/', 'http://lab')
    if (pathname === '/openapi.json') return send('application/json', JSON.stringify(DESCRIPTION))
    if (pathname === '/lamps') return send('application/json', JSON.stringify(LAMPS))
    if (pathname === '/repos/pharos/lamp')
      return send('application/json', '{"full_name":"pharos/lamp","description":"Turns once in nine seconds"}')
    if (pathname === '/slack/conversations.list')
      return send('application/json', '{"ok":true,"channels":[{"id":"C1","name":"keepers"}]}')
    if (pathname === '/notion/search')
      return send('application/json', '{"results":[{"object":"page","title":[{"plain_text":"Log of the lamp"}]}]}')
    if (pathname === '/asana/workspaces') return send('application/json', '{"data":[{"gid":"7","name":"Keepers"}]}')
    if (pathname === '/google/calendar/v3/users/me/calendarList')
      return send('application/json', '{"items":[{"id":"w","summary":"Watches"}]}')
    if (pathname === '/graphql') {
      let body = ''
      for await (const chunk of request) body += chunk
      const { query: source, variables: variableValues } = JSON.parse(body)
      return send(
        'application/json',
        JSON.stringify(await graphql({ schema, source, variableValues, rootValue: { lamps: LAMPS } })),
      )
    }
    if (pathname === '/robots.txt') return send('text/plain', 'User-agent: *\nAllow: /')
    return send(
      'text/html',
      '<title>Lighthouse</title><h1>Keepers wanted</h1><p>Apply at the door. The lamp turns once in nine seconds, every night of the year.</p>',
    )
  })
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
  const { port } = service.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    close() {
      service.closeAllConnections()
      return new Promise((done) => service.close(() => done()))
    },
  }
}
