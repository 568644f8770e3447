/**
 * Run in a folder that the packages are installed in, by `node --import <record-loads.mjs>`: makes every ready-made server and
 * prints, as JSON, which packages were loaded to list it and to make it. Plain JavaScript: nothing of this repository is there.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadEntry, SERVER_NAMES } from '@portico/servers'

const [folder] = process.argv.slice(2)
mkdirSync(join(folder, 'notes'), { recursive: true })
writeFileSync(join(folder, 'books.graphql'), 'type Query { book(id: ID!): String }')
const description = {
  openapi: '3.1.0',
  info: { title: 'One', version: '1' },
  servers: [{ url: 'https://one.example' }],
}
const paths = { '/one': { get: { operationId: 'one', responses: { 200: { description: 'It' } } } } }
writeFileSync(join(folder, 'one.json'), JSON.stringify({ ...description, paths }))

const token = { tokenEnv: 'PATH' }
const VALUES = {
  files: { directories: [join(folder, 'notes')], write: true },
  git: { repositories: [folder] },
  mongo: { url: 'mongodb://127.0.0.1:9/none' },
  openapi: { description: join(folder, 'one.json') },
  graphql: { endpoint: 'https://books.example/graphql', schemaFile: join(folder, 'books.graphql') },
  knowledge: { directory: join(folder, 'notes') },
  memory: { file: join(folder, 'memory.db') },
  slack: token,
  notion: token,
  asana: token,
  google: token,
  editor: { directory: join(folder, 'notes'), languages: ['.md=true'] },
}

/** The packages that were loaded so far. */
function loaded() {
  const lines = readFileSync(process.env.LOADED_FILE, 'utf8').split('\n')
  const names = lines.map((line) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(line)?.[1])
  return new Set(names.filter((name) => name !== undefined && !name.startsWith('@portico') && name !== 'portico'))
}

let before = loaded()
function sinceBefore() {
  const now = loaded()
  const more = [...now].filter((name) => !before.has(name))
  before = now
  return more
}

const rows = []
const start = [...before]
for (const name of SERVER_NAMES) {
  await loadEntry(name)
  rows.push({ name, listed: sinceBefore() })
}
for (const row of rows) {
  try {
    const ready = await (await loadEntry(row.name)).create(VALUES[row.name] ?? {})
    row.tools = ready.server.catalogue().tools.length
    await ready.close()
  } catch (error) {
    row.error = error.message
  }
  row.made = sinceBefore()
}
process.stdout.write(JSON.stringify({ start, rows }), () => process.exit())
