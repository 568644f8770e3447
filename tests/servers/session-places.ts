/** What is behind each server while its session for the guide is played: services on loopback, a repository, a screen. */

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ServerName } from '@portico/servers'
import { findChromium } from '../support/chromium.ts'
import { installPackages } from '../support/install.ts'
import { startSlackService } from '../support/slack-service.ts'
import { until } from '../support/wait.ts'
import { startScreen } from './virtual-screen.ts'

export interface Place {
  /** What `{name}` stands for in the words of a session. */
  readonly words?: { readonly [name: string]: string }
  readonly environment?: { readonly [name: string]: string }
  /** Options that this machine needs and that say nothing about the server: they are not shown. */
  readonly options?: readonly string[]
  close?(): Promise<void> | void
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FIXTURES = join(ROOT, 'packages/servers/test/fixtures')
const PAGE =
  '<title>Lighthouse</title><h1>Keepers wanted</h1><p>Apply at the door. The lamp turns once in nine seconds, every night of the year.</p>'

const PLACES: { readonly [Name in ServerName]?: (folder: string) => Promise<Place> | Place } = {
  git: (folder) => {
    makeRepository(join(folder, 'repository'))
    return {}
  },
  mongo: async () => {
    const { words = {}, close } = await startStandIn('mongo')
    return { environment: { PORTICO_MONGO_URL: words.url ?? '' }, close }
  },
  openapi: () => startStandIn('openapi'),
  graphql: () => startStandIn('graphql'),
  web: startSite,
  browser: async () => ({ ...(await startSite()), options: browserOptions() }),
  screen: showClock,
  github: () => startStandIn('github', { GITHUB_TOKEN: 'ghp_secret12345' }),
  slack: async () => toPlace(await startSlackService(), { SLACK_TOKEN: 'xoxb-secret-token-1' }),
  asana: () => startStandIn('asana', { ASANA_TOKEN: 'local' }),
  notion: () => startStandIn('notion', { NOTION_TOKEN: 'local' }),
  google: async () => {
    installPackages(fileURLToPath(new URL('vendors/', import.meta.url)), { about: 'about 60 MB' })
    const { ADA, startGoogle } = await import('./vendors/google-service.ts')
    const service = await startGoogle()
    const { ACCESS: _, ...environment } = await service.signIn(ADA)
    return toPlace({ ...service, base: `http://${service.host}` }, environment)
  },
  editor: (folder) => {
    const copy = join(folder, 'language-server.mjs')
    copyFileSync(join(FIXTURES, 'language-server.mjs'), copy)
    return { words: { language: `node ${copy}` } }
  },
}

/** Opens what a server needs, and puts the files of its session into the folder. */
export async function openPlace(
  name: ServerName,
  folder: string,
  files: { readonly [path: string]: string },
): Promise<Place> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return (await PLACES[name]?.(folder)) ?? {}
}

interface Service {
  readonly base: string
  readonly host: string
  close(): Promise<void>
}

function toPlace({ base, host, close }: Service, environment: Place['environment']): Place {
  return { words: { base, host }, environment, close }
}

/** A service that the tests of the server have, as a program of its own. What it says of its place are the words of the session. */
async function startStandIn(name: ServerName, environment: Place['environment'] = {}): Promise<Place> {
  const program = spawn(process.execPath, [join(ROOT, 'scripts/run.mjs'), join(FIXTURES, 'serve.ts'), name], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  const [line] = (await Promise.race([
    once(createInterface(program.stdout), 'line'),
    ended.then(() => Promise.reject(new Error(`the service for ${name} did not start`))),
  ])) as [string]
  return {
    words: JSON.parse(line),
    environment,
    async close() {
      program.stdin.end()
      await ended
    },
  }
}

function makeRepository(folder: string): void {
  const when = { GIT_AUTHOR_DATE: '2026-11-01T20:00:00Z', GIT_COMMITTER_DATE: '2026-11-01T20:00:00Z' }
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      ...{ stdio: 'ignore', env: { ...process.env, ...when } },
    })
  execFileSync('git', ['init', '-q', '-b', 'main', folder])
  for (const [state, subject] of [
    ['on', 'Light the lamp'],
    ['off', 'Put it out'],
  ]) {
    writeFileSync(join(folder, 'lamp.txt'), `${state}\n`)
    git('add', '.')
    git('commit', '-qm', subject ?? '')
  }
  writeFileSync(join(folder, 'lamp.txt'), 'dim\n')
}

async function startSite(): Promise<Place> {
  const service = createServer((request, response) => {
    const isRules = request.url === '/robots.txt'
    response.writeHead(200, { 'content-type': isRules ? 'text/plain' : 'text/html' })
    response.end(isRules ? 'User-agent: *\nAllow: /' : PAGE)
  })
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
  return {
    words: { host: `127.0.0.1:${(service.address() as AddressInfo).port}` },
    close() {
      service.closeAllConnections()
      return new Promise((done) => service.close(() => done()))
    },
  }
}

function browserOptions(): string[] {
  const browser = findChromium()
  return [
    ...(browser === undefined ? [] : ['--executable', browser]),
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
}

async function showClock(): Promise<Place> {
  const screen = await startScreen()
  const clock = spawn('/usr/bin/xclock', ['-geometry', '200x200+40+40', '-title', 'Clock'], {
    env: { DISPLAY: screen.display },
    stdio: 'ignore',
  })
  await until(() => listed(screen.display).includes('"Clock"'), 'the clock on the screen', 30_000)
  return {
    options: ['--display', screen.display],
    async close() {
      clock.kill()
      await screen.stop()
    },
  }
}

function listed(display: string): string {
  return execFileSync('/usr/bin/xwininfo', ['-display', display, '-root', '-tree'], { encoding: 'utf8' })
}
