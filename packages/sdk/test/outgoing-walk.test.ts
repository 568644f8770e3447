/**
 * sec-92, house 4: whoever can open a connection is in this table, and addresses that strangers name are opened by the one
 * gate (`auth/network/judged-dial.ts`). Walks the source of every package; a new way out has to be added with its reason.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))

/** Ways out that lead to whom the user has chosen, or are the gate itself. */
const WAYS_OUT = new Map([
  ['sdk/src/auth/network/judged-dial.ts', 'the gate itself'],
  ['sdk/src/auth/network/guarded-fetch.ts', 'runtimes that give no sockets; URLs are judged before'],
  ['sdk/src/serve/socket/socket-path.ts', 'asks whether a socket file of this machine is in use'],
  ['sdk/src/transport/socket-client.ts', 'the server that the user connects to'],
  ['sdk/src/transport/http-client/http-client-dialer.ts', 'the server that the user connects to'],
  ['sdk/src/transport/http-client/http-client-node.ts', 'the server that the user connects to'],
  ['sdk/src/transport/websocket/websocket-client.ts', 'the server that the user connects to'],
  ['servers/src/browser/proxy.ts', 'the proxy of the browser: connects to addresses of `judgedAddresses` alone'],
  ['app/src/web/doctor/address-checks.ts', 'the server that the user has configured'],
  ['app/src/web/running-workbench.ts', 'the program of this machine that is running already'],
  ['app/src/cli/conformance/conformance-http.ts', 'the server that the user tests'],
  ['host/src/cluster/forward.ts', 'another replica, at an address that it sealed with the key of all'],
  ['host/src/chat/slack/slack-socket.ts', 'Slack, at an address of its own that `requireSlack` has looked at'],
  ['sdk/src/testing/faults/proxy.ts', 'the server that the user tests'],
])

const IMPORTS = /import \{[^}]*\b(request|get|connect|createConnection)\b[^}]*\} from 'node:(http|https|http2|net|tls)'/
const GLOBALS = /\bglobalThis\.fetch\b|\bnew WebSocket\(|from 'undici'|from 'node:dgram'/
const BARE_FETCH = /(?<![.\w])fetch\(/
/** `fetch` is a parameter or a name of the file's own: then somebody else has decided which one. */
const OWN_FETCH = /\bfetch\??:|[{,(]\s*fetch\s*[,})=]|const fetch\b|^ {2}fetch\(/m

function leadsOut(source: string): boolean {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  return IMPORTS.test(code) || GLOBALS.test(code) || (BARE_FETCH.test(code) && !OWN_FETCH.test(code))
}

test('sec-92, sec-315, house 4: every way out of the packages is known, and those of strangers pass one gate', () => {
  const files = ['sdk', 'host', 'servers', 'app'].flatMap((name) =>
    readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${name}/src/${file}`,
    ),
  )
  const sources = files
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const found = sources.filter((file) => leadsOut(readFileSync(join(PACKAGES, file), 'utf8')))
  expect(found.sort()).toEqual([...WAYS_OUT.keys()].sort())
})

test.each([
  ["import { request } from 'node:https'", true],
  ["import { type Socket, connect } from 'node:net'", true],
  ['const answer = await fetch(url)', true],
  ['const dial = globalThis.fetch', true],
  ["import { createServer } from 'node:http'", false],
  ['async function read(fetch: AuthFetch) { return fetch(url) }', false],
  ['// const answer = await fetch(url)', false],
])('the walk tells a way out: %s: %s', (source, out) => {
  expect(leadsOut(source)).toBe(out)
})
