/**
 * A session with every server for its page of the guide: the real program over its standard streams, asked what
 * `sessions/<name>.json` says. What was asked and answered is on the page as text and as a picture. A run fails where they differ
 * from what the server says today; `PORTICO_PICTURES=1` writes them anew.
 */

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, type ContentBlock, connect } from '@portico/sdk/client'
import { SERVER_NAMES, type ServerName } from '@portico/servers'
import { toPicture } from '../support/picture.ts'
import type { Trial } from '../support/suite.ts'
import { missingFor } from './fixtures.ts'
import { openPlace, type Place } from './session-places.ts'

interface Step {
  readonly tool: string
  readonly args: { readonly [name: string]: unknown }
}

interface Session {
  /** Said on the page: `A real session, …`. */
  readonly about: string
  readonly files?: { readonly [path: string]: string }
  /** The words after `portico run <name>`. */
  readonly run: readonly string[]
  readonly calls: readonly Step[]
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BEGIN = '<!-- session -->'
const END = '<!-- end of session -->'
/** A busy machine starts a browser in a minute. */
const CALL_MS = 120_000
const MAX_LINES = 14
const COLUMNS = 110
const FIRST_PORT = 4001
/** What a page shows is fetched by whoever reads it. */
const MAX_PICTURE_BYTES = 60_000

/** What these servers answer with is a picture itself. */
const SHOTS: { readonly [Name in ServerName]?: string } = {
  browser: 'server-browser-shot.jpeg',
  screen: 'server-screen-shot.png',
}

export const sessionTrials: readonly Trial[] = SERVER_NAMES.map((name) => ({
  name: `session: ${name}`,
  long: true,
  missing: () => (name === 'mongo' ? undefined : missingFor(name)),
  run: () => record(name),
}))

async function record(name: ServerName): Promise<void> {
  const session: Session = JSON.parse(readFileSync(new URL(`sessions/${name}.json`, import.meta.url), 'utf8'))
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'portico-session-')))
  const folder = join(home, 'project')
  mkdirSync(folder)
  const place = await openPlace(name, folder, session.files ?? {})
  try {
    const said = await play(name, filled(session, place), { folder, home, place })
    keep(name, session, toShown(said, home))
  } finally {
    await place.close?.()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The session with its words replaced by what they stand for here. */
function filled({ run, calls }: Session, { words = {} }: Place): Pick<Session, 'run' | 'calls'> {
  const text = JSON.stringify({ run, calls }).replace(/\{(\w+)\}/g, (whole, word) => words[word] ?? whole)
  return JSON.parse(text)
}

interface Here {
  readonly home: string
  readonly folder: string
  readonly place: Place
}

async function play(
  name: ServerName,
  { run, calls }: Pick<Session, 'run' | 'calls'>,
  { home, folder, place }: Here,
): Promise<string> {
  const program = ['scripts/run.mjs', 'packages/app/src/cli/main.ts', 'run', name].map((word, at) =>
    at < 2 ? join(ROOT, word) : word,
  )
  const parts = [`$ portico run ${[name, ...run].map(quoted).join(' ')}`]
  const form = ({ message }: { readonly message: string }) => {
    parts.push(`${shortened(`? ${message}`)}\n  yes`)
    return { action: 'accept' as const, content: { confirm: true } }
  }
  const client = await connect(
    {
      command: process.execPath,
      args: [...program, ...run, ...(place.options ?? [])],
      env: { ...process.env, HOME: home, ...place.environment },
      cwd: folder,
    },
    { elicitation: { form } },
  )
  try {
    for (const step of calls) {
      parts.push(`> ${step.tool} ${JSON.stringify(step.args)}`)
      parts.push(await answerTo(client, step, name))
    }
  } finally {
    await client.close()
  }
  return parts.map((part, at) => (part.startsWith('> ') && at > 0 ? `\n${part}` : part)).join('\n')
}

async function answerTo(client: Client, { tool, args }: Step, name: ServerName): Promise<string> {
  const { content } = await client.callTool(tool, { ...args }, { timeoutMs: CALL_MS })
  return shortened(content.map((block) => textOf(block, name)).join('\n'))
}

function textOf(block: ContentBlock, name: ServerName): string {
  if (block.type === 'text') return block.text.trimEnd()
  if (block.type !== 'image') return `[${'uri' in block ? block.uri : block.type}]`
  if (isDrawing() && SHOTS[name] !== undefined) writePicture(SHOTS[name], Buffer.from(block.data, 'base64'))
  return `[a picture, ${block.mimeType}]`
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`
}

function shortened(text: string): string {
  const lines = text.split('\n')
  return lines.length <= MAX_LINES ? text : [...lines.slice(0, MAX_LINES - 1), '…'].join('\n')
}

/** Names for what is another in every run: folders, ports, identifiers, durations. */
function toShown(text: string, home: string): string {
  const ports: string[] = []
  const ids: string[] = []
  return text
    .replaceAll(home, '~')
    .replace(/127\.0\.0\.1:(\d+)/g, (_, port: string) => `127.0.0.1:${FIRST_PORT + placeIn(ports, port)}`)
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, (id) =>
      isPlain(id) ? id : `id-${1 + placeIn(ids, id)}`,
    )
    .replace(/^(durationMs: )\d+$/gm, '$1…')
}

function placeIn(known: string[], one: string): number {
  if (!known.includes(one)) known.push(one)
  return known.indexOf(one)
}

/** Written by hand for a session: the same digit throughout. */
function isPlain(id: string): boolean {
  return new Set(id.slice(0, 8)).size === 1
}

/** Lines as a terminal breaks them, between words. */
function wrapped(text: string): string {
  return text
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((line) => line.match(new RegExp(`.{1,${COLUMNS}}(?:\\s|$)|.{1,${COLUMNS}}`, 'gu')) ?? [''])
    .join('\n')
}

function isDrawing(): boolean {
  return process.env.PORTICO_PICTURES === '1'
}

function writePicture(file: string, picture: string | Buffer): void {
  assert.ok(picture.length <= MAX_PICTURE_BYTES, `${file} has ${picture.length} bytes`)
  writeFileSync(join(ROOT, 'docs/screenshots', file), picture)
}

/** Said above every session: a page shows what a host does, and a person may want to do the same. */
function howToType(said: string): string {
  const started = (said.split('\n', 1)[0] ?? '').replace('$ portico run ', '')
  return `\`$\` starts the server, as a host does, and \`>\` is a call that the host makes. From a terminal, one such call is \`portico call <tool> --args '<arguments>' -- ${started}\`.`
}

function keep(name: ServerName, { about }: Session, said: string): void {
  const picture = `server-${name}.svg`
  const file = join(ROOT, `docs/guide/server-${name}.md`)
  const page = readFileSync(file, 'utf8')
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  assert.ok(from >= 0 && to > from, `${file} has no place for its session: ${BEGIN} and ${END}`)
  const shot = SHOTS[name]
  const section = [
    ...[BEGIN, '## A session', ''],
    `A real one, ${about}: in a checkout, \`PORTICO_PICTURES=1 npm run servers -- 'session: ${name}'\` plays it and writes it here.`,
    ...['', howToType(said)],
    ...['', `![A session with the ${name} server](../screenshots/${picture})`],
    ...(shot === undefined ? [] : ['', `![The picture that it took](../screenshots/${shot})`]),
    ...['', '```', said, '```', ''],
  ].join('\n')
  if (isDrawing()) {
    writePicture(picture, toPicture(wrapped(said)))
    writeFileSync(file, page.slice(0, from) + section + page.slice(to))
    return
  }
  assert.equal(page.slice(from, to), section, `the page of ${name} shows another session`)
  assert.equal(readFileSync(join(ROOT, 'docs/screenshots', picture), 'utf8'), toPicture(wrapped(said)))
}
