/**
 * `npm run faults:peers`: the faults of `portico faults` on programs that nobody here wrote, beside Portico's own, with `--json
 * <file>` for the page of the docs. Words choose peers by their names.
 */

import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { serveHttp } from '@portico/sdk/http'
import { ACCOUNT_COLUMNS, createWorkServer, type FaultRow, tryClient, tryServer } from '@portico/sdk/testing/faults'
import { installPackages } from '../support/install.ts'
import { toTable } from '../support/table.ts'
import { type Opened, PEERS, type Peer, WORK_SERVER } from './peers/peer-list.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    runs: { type: 'string', default: '3' },
    timeout: { type: 'string', default: '10' },
  },
})
const runs = Number(values.runs)
const timeoutMs = Number(values.timeout) * 1_000
const WORK = { tool: 'work', args: { nonce: 'x', ms: 5 }, timeoutMs }

for (const folder of ['../interop', '../../bench']) installPackages(fileURLToPath(new URL(folder, import.meta.url)))

const OURS: readonly Peer[] = [
  {
    name: 'Portico, stdio server',
    role: 'server',
    command: 'portico faults -- portico faults --as-server',
    open: async () => ({ subject: { ...WORK, target: WORK_SERVER }, close: () => {} }),
  },
  {
    name: 'Portico, HTTP server',
    role: 'server',
    command: 'portico faults http://127.0.0.1:3000/mcp',
    async open() {
      const http = await serveHttp(createWorkServer(), { port: 0 })
      return { subject: { ...WORK, target: http.url }, close: () => void http.close() }
    },
  },
  {
    name: 'Portico, client',
    role: 'client',
    command: "portico faults --client 'portico faults --as-client'",
    open: async () => {
      const file = fileURLToPath(new URL('peers/portico-client.ts', import.meta.url))
      return { client: { command: process.execPath, args: [...process.execArgv, file] }, close: () => {} }
    },
  },
]

const chosen = [...OURS, ...PEERS].filter(
  ({ name }) => positionals.length === 0 || positionals.some((word) => name.toLowerCase().includes(word.toLowerCase())),
)
const told: { name: string; role: string; command: string; rows: FaultRow[] }[] = []
for (const { name, role, command, open } of chosen) {
  const opened = await open().catch((error: Error): undefined => {
    console.log(`\nskipped ${name}: ${error.message}`)
    return undefined
  })
  if (opened === undefined) continue
  try {
    const rows = await tryPeer(opened)
    told.push({ name, role, command, rows })
    console.log(`\n${name}\n${toTable([['fault', ...ACCOUNT_COLUMNS, 'well after'], ...rows.map(toRow)])}`)
    for (const { about, notes } of rows) for (const note of notes) console.log(`  ${about}: ${note.slice(0, 200)}`)
  } finally {
    opened.close()
  }
}
if (values.json !== undefined) {
  writeFileSync(
    values.json,
    `${JSON.stringify({ runs, timeoutMs, node: process.version, cores: availableParallelism(), peers: told }, null, 1)}\n`,
  )
}
process.exit(0)

function tryPeer({ subject, client }: Opened): Promise<FaultRow[]> {
  if (client !== undefined) return tryClient(client, timeoutMs, { runs })
  if (subject === undefined) throw new Error('neither server nor client')
  return tryServer({ ...subject, timeoutMs }, { runs })
}

function toRow({ fault, about, account, unseen, notes }: FaultRow): string[] {
  const hidden: readonly string[] = unseen
  const figures = ACCOUNT_COLUMNS.map((column) => (hidden.includes(column) ? '?' : String(account[column])))
  return [`${fault} ${about}`, ...figures, notes.length === 0 ? 'yes' : 'no']
}
