/**
 * `npm run bridge`: every client revision to every server revision through the gateway, on every transport, with
 * programs of ours and of the official packages on either side, feature by feature, as one table. Exits with 1 when a
 * cell fails or something is left running.
 */

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installPackages } from '../support/install.ts'
import type { Row } from './table.ts'
import type { Variant } from './variants.ts'

const HELP = `usage: npm run bridge -- [options]

  --short             every pair of revisions once, and each official program in both roles
  --client <text>     only clients whose name has this text, such as "sdk-2 2026-07-28 http" (may be repeated)
  --server <text>     only servers whose name has this text (may be repeated)
  --feature <name>    only this feature (may be repeated)
  --principals        200 principals with 500 calls each and a nonce in every call; --short makes that 20 with 50
  --list              print the names of clients, servers and features
  --help              print this

Uses the packages that "npm run interop" installs, and installs them when they are not there.`

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    client: { type: 'string', multiple: true, default: [] },
    server: { type: 'string', multiple: true, default: [] },
    feature: { type: 'string', multiple: true, default: [] },
    principals: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (flags.help) console.log(HELP)
else await main()

async function main(): Promise<void> {
  installPackages(fileURLToPath(new URL('../interop/', import.meta.url)))
  if (flags.principals) {
    const { runPrincipals } = await import('./principals.ts')
    if (!(await runPrincipals(flags.short))) process.exitCode = 1
    return expectTheEnd()
  }
  // These load the packages that were just installed.
  const { FEATURES } = await import('./features.ts')
  const { CLIENTS, SERVERS, nameOf } = await import('./variants.ts')
  if (flags.list) {
    console.log(
      [...CLIENTS.map((one) => `client ${nameOf(one)}`), ...SERVERS.map((one) => `server ${nameOf(one)}`)].join('\n'),
    )
    console.log(FEATURES.map(({ name }) => `feature ${name}`).join('\n'))
    return
  }
  const { toTable } = await import('./table.ts')
  const rows = await runPairs()
  console.log(`\n${toTable(rows)}`)
  if (rows.length === 0 || rows.some(({ failures }) => failures.length > 0)) process.exitCode = 1
  expectTheEnd()
}

async function runPairs(): Promise<Row[]> {
  const { CLIENTS, SERVERS, nameOf, shortPairs } = await import('./variants.ts')
  const { runHouse } = await import('./pairs.ts')
  const named = (texts: readonly string[], one: Variant) =>
    texts.length === 0 || texts.some((text) => nameOf(one).includes(text))
  const all = flags.short
    ? shortPairs()
    : SERVERS.flatMap((server) => CLIENTS.map((client): [Variant, Variant] => [client, server]))
  const pairs = all.filter(([client, server]) => named(flags.client, client) && named(flags.server, server))
  const servers = new Map(pairs.map(([, server]) => [nameOf(server), server]))
  const rows: Row[] = []
  for (const [name, server] of servers) {
    const clients = pairs.flatMap(([client, one]) => (nameOf(one) === name ? [client] : []))
    rows.push(...(await runHouse(server, clients, flags.feature)))
  }
  return rows
}

/** The process ends by itself once nothing is open. If something is, it is named and the run has failed. */
function expectTheEnd(): void {
  setTimeout(() => {
    console.log(`\nleft open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, 10_000).unref()
}
