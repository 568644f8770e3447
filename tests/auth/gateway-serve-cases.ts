/** `portico serve` before a real browser: a user's program shows a link, and the user signs in to a server with it. */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { authorizationCode } from '@portico/sdk/auth'
import { type Client, type ConnectOptions, connect } from '@portico/sdk/client'
import { type BrowserContext, chromium } from 'playwright-core'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import type { Trial } from '../support/suite.ts'
import { FLAGS } from './chromium.ts'
import { startEmbedded } from './embedded.ts'
import { freePort } from './provider.ts'

const PASSWORD = 'correct horse'
const TOKEN = 'the-token-of-alice-0123'

export const gatewayServeTrials: readonly Trial[] = [
  trial('a browser signs in to the gateway, then to the server, and is asked in between', 'oauth', [
    ...['Sign in', 'Allow access?'],
    'Sign in to mail',
    ...['Sign in', 'Allow access?'],
    'Thank you',
  ]),
  trial('a browser shows the token of its user, and is asked before it is sent on', 'token', [
    ...['Who are you?', 'Sign in to mail'],
    ...['Sign in', 'Allow access?'],
    'Thank you',
  ]),
]

function trial(name: string, way: 'oauth' | 'token', expected: readonly string[]): Trial {
  return {
    name: `browser: portico serve: ${name}`,
    missing: () => (findChromium() === undefined ? NO_CHROMIUM : undefined),
    run: () => withPlace((place) => signIn(place, way, expected)),
  }
}

interface Place {
  readonly folder: string
  readonly context: BrowserContext
  /** What is to be ended afterwards, the last first. */
  readonly ends: (() => Promise<unknown>)[]
}

async function withPlace(run: (place: Place) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-serve-'))
  const ends: Place['ends'] = [() => rm(folder, { recursive: true, force: true })]
  try {
    // Whoever comes here has asked `findChromium` before.
    const options = { executablePath: findChromium() ?? '', args: FLAGS }
    const context = await chromium.launchPersistentContext(join(folder, 'browser'), options)
    context.setDefaultTimeout(20_000)
    ends.push(() => context.close())
    await run({ folder, context, ends })
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function signIn(place: Place, way: 'oauth' | 'token', expected: readonly string[]): Promise<void> {
  const { folder, ends } = place
  const mail = await startEmbedded({})
  ends.push(() => mail.stop())
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  // Browsers keep cookies by host and not by port: the two issuers must not be one to them.
  const issuer = `http://localhost:${await freePort()}`
  const front = createAuthorizationServer({ issuer, resources: [url], scopes: ['use'], users: { alice: PASSWORD } })
  const listening = await front.listen()
  ends.push(() => listening.close())
  const auth = way === 'oauth' ? { way, issuer, resource: url } : { way, tokens: { alice: 'ALICE_TOKEN' } }
  const server = { url: mail.url, auth: { perUser: true, scopes: ['read'] } }
  await writeFile(join(folder, 'gateway.json'), JSON.stringify({ servers: { mail: server }, gateway: { port, auth } }))
  await serve(place)

  const seen: string[] = []
  const client = await connectTo(url, way, place, async (link) => void (await walk(place, link, seen)))
  const [answer] = (await client.callTool('mail_sign_in')).content
  assert.match(JSON.stringify(answer), /signed in/)
  assert.deepEqual(seen, expected)
  const [found] = (await client.callTool('mail_look')).content
  assert.match(JSON.stringify(found), /seen by alice/)
}

async function serve({ folder, ends }: Place): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const words = [join(root, 'scripts/run.mjs'), join(root, 'packages/app/src/cli/main.ts'), 'serve', 'gateway.json']
  const env = { ...process.env, PORTICO_STATE_DIR: join(folder, 'state'), HOME: folder, ALICE_TOKEN: TOKEN }
  const child: ChildProcess = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  ends.push(() => {
    child.kill('SIGTERM')
    return ended
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    void ended.then(() => reject(new Error('portico serve ended')))
  })
}

async function connectTo(
  url: string,
  way: 'oauth' | 'token',
  place: Place,
  show: (link: string) => Promise<void>,
): Promise<Client> {
  const back = 'http://127.0.0.1:8765/callback'
  const shown = new Set<string>()
  const identity: ConnectOptions =
    way === 'token'
      ? { headers: { authorization: `Bearer ${TOKEN}` } }
      : {
          auth: {
            grant: authorizationCode({
              userAgent: {
                redirectUri: () => back,
                // A browser of its own, so that the one of the case has been nowhere yet.
                open: async (page) => new URL(await walk(place, page.href, [], back)).searchParams,
              },
            }),
            scopes: ['use'],
          },
        }
  const client = await connect(url, {
    ...identity,
    negotiations: false,
    timeouts: { callMs: 60_000 },
    elicitation: {
      url: async ({ url: link }) => {
        if (!shown.has(link)) await show(link)
        shown.add(link)
        return { action: 'accept' }
      },
    },
  })
  place.ends.push(() => client.close())
  return client
}

/** Goes through the pages as a person would, noting their titles, to the last one or to where a program waits. */
async function walk({ context }: Place, link: string, seen: string[], back?: string): Promise<string> {
  // What was signed in for a program is not what this case is about: its cookies go.
  if (back === undefined) await context.clearCookies()
  const tab = await context.newPage()
  let arrived = ''
  if (back !== undefined) {
    await tab.route(`${back}**`, async (route) => {
      arrived = route.request().url()
      await route.fulfill({ body: '<h1>Arrived</h1>', contentType: 'text/html' })
    })
  }
  await tab.goto(link)
  for (let step = 0; step < 10; step++) {
    const title = (await tab.getByRole('heading', { level: 1 }).textContent()) ?? ''
    seen.push(title)
    const button = tab.getByRole('button').first()
    if (!(await button.isVisible())) break
    for (const [label, value] of Object.entries({ Name: 'alice', Password: PASSWORD, 'Your token': TOKEN })) {
      const field = tab.getByLabel(label)
      if (await field.isVisible()) await field.fill(value)
    }
    const moved = tab.waitForEvent('framenavigated')
    await button.click()
    await moved
    await tab.waitForLoadState()
  }
  await tab.close()
  return arrived
}
