/**
 * What the packed command line loads, and when: a server's libraries only where that server is made, and none of those that
 * are not installed unless asked for. Every server of the registry is made in an empty folder.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SERVER_NAMES, type ServerName } from '@portico/servers'
import type { Trial } from '../support/suite.ts'
import { toTable } from '../support/table.ts'
import { install, mainIn } from './pack.ts'

interface Row {
  readonly name: ServerName
  readonly listed: readonly string[]
  readonly made: readonly string[]
  readonly tools?: number
  readonly error?: string
}

/** What making a server may load. What it needs for a kind of document or database, it loads when it meets one. */
const OWN: { readonly [Name in ServerName]?: readonly string[] } = {
  files: ['diff', 'ignore', 'chokidar', 'readdirp'],
  git: ['diff', 'chokidar', 'readdirp'],
  sql: ['libsql', '@neon-rs/load', 'detect-libc', 'node-sqlite3-wasm'],
  mongo: ['mongodb', 'bson'],
  openapi: ['yaml'],
  graphql: ['graphql'],
  web: ['robots-parser'],
  browser: ['playwright-core'],
  google: ['linkedom'],
  knowledge: ['minisearch', 'chokidar', 'readdirp', 'ignore'],
  memory: ['libsql', '@neon-rs/load', 'detect-libc', 'node-sqlite3-wasm'],
}

/** Installed by whoever wants that server, and named where it is missing. */
const OPTIONAL: { readonly [Name in ServerName]?: string } = { mongo: 'mongodb' }

const RECORD = fileURLToPath(new URL('record-loads.mjs', import.meta.url))
const WALK = fileURLToPath(new URL('walk-servers.mjs', import.meta.url))

/** Runs a program of the folder with every loaded module noted. */
async function runNoted(folder: string, words: readonly string[], env: object) {
  const notes = join(folder, 'loaded.txt')
  writeFileSync(notes, '')
  await copyFile(RECORD, join(folder, 'record-loads.mjs'))
  const hooks = ['--import', pathToFileURL(join(folder, 'record-loads.mjs')).href]
  const ran = spawnSync(process.execPath, [...hooks, ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env, LOADED_FILE: notes },
    timeout: 300_000,
  })
  return { ran, loaded: readFileSync(notes, 'utf8') }
}

function librariesOf(folder: string): string[] {
  const path = join(folder, 'node_modules', '@portico', 'servers', 'package.json')
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(readFileSync(path, 'utf8'))
  const all = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
  return all.filter((name) => !name.startsWith('@portico/'))
}

async function loadNothingEarly(): Promise<void> {
  const { folder, env } = await install()
  const libraries = librariesOf(folder)
  for (const words of [['--version'], ['--help'], ['run', '--help'], ['run', 'sql', '--help']]) {
    const { ran, loaded } = await runNoted(folder, [mainIn(folder), ...words], env)
    assert.equal(ran.status, 0, ran.stderr)
    const early = libraries.filter((name) => loaded.includes(`/node_modules/${name}/`))
    assert.deepEqual(early, [], `portico ${words.join(' ')} loads libraries of servers`)
    console.log(`  portico ${words.join(' ')}: ${loaded.split('\n').length - 1} modules, no library of a server`)
  }
}

async function walkServers(): Promise<void> {
  const { folder, env } = await install()
  for (const library of Object.values(OPTIONAL)) {
    assert.ok(!existsSync(join(folder, 'node_modules', library)), `${library} is installed unasked`)
  }
  const place = join(folder, 'walk')
  await mkdir(place, { recursive: true })
  spawnSync('git', ['init', '-q', place])
  await copyFile(WALK, join(folder, 'walk-servers.mjs'))
  const { ran } = await runNoted(folder, ['walk-servers.mjs', place], env)
  assert.equal(ran.status, 0, ran.stderr)
  const { start, rows }: { start: readonly string[]; rows: readonly Row[] } = JSON.parse(ran.stdout)
  console.log(
    toTable([
      ['server', 'tools', 'loaded to list it', 'loaded to make it'],
      ...rows.map(({ name, tools, listed, made, error }) => [
        name,
        error === undefined ? String(tools) : 'none',
        listed.join(' ') || '-',
        error ?? (made.join(' ') || '-'),
      ]),
    ]),
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    [...SERVER_NAMES],
  )
  const libraries = new Set(librariesOf(folder))
  assert.deepEqual(
    start.filter((name) => libraries.has(name)),
    [],
  )
  for (const { name, listed, made, tools = 0, error } of rows) {
    assert.deepEqual(listed, [], `listing ${name} loads libraries`)
    const strange = made.filter((library) => libraries.has(library) && OWN[name]?.includes(library) !== true)
    assert.deepEqual(strange, [], `${name} loads libraries that it does not need yet`)
    const missing = OPTIONAL[name]
    if (missing === undefined) assert.ok(error === undefined && tools > 0, `${name}: ${error}`)
    else assert.match(error ?? '', new RegExp(`npm install ${missing}$`), `${name} does not say what to install`)
  }
}

async function sayWhatIsMissing(): Promise<void> {
  const { folder, env } = await install()
  const { ran } = await runNoted(folder, [mainIn(folder), 'run', 'mongo', 'mongodb://127.0.0.1:9/none'], env)
  assert.notEqual(ran.status, 0)
  assert.match(ran.stderr, /needs the package "mongodb", which is not installed: npm install mongodb/)
  assert.doesNotMatch(ran.stderr, /ERR_MODULE_NOT_FOUND|\n\s+at /)
}

export const trials: readonly Trial[] = [
  { name: 'pack: no library of a server is loaded before the server is used', run: loadNothingEarly },
  {
    name: 'pack: every server of the registry is made in an empty folder, with its own libraries alone',
    run: walkServers,
  },
  { name: 'pack: a server whose library is missing says what to install', run: sayWhatIsMissing },
]
