/**
 * What servers offered when they were last listed, for completion while somebody types: names alone, in one small file
 * for each server. It is written by commands that list anyway; reading it starts nothing and asks nobody.
 */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Prompt, Resource, Tool } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { stateOf } from '../host-places.ts'
import type { OpenTarget } from '../target/open-target.ts'
import type { TargetKind } from '../target/target-kind.ts'
import type { Io } from '../terminal/io.ts'

interface KnownArgument {
  readonly name: string
  /** What it may be, where the schema names its values. */
  readonly values?: readonly string[]
}

export interface KnownItem {
  readonly name: string
  readonly arguments: readonly KnownArgument[]
}

interface KnownServer {
  readonly tools?: readonly KnownItem[]
  readonly prompts?: readonly KnownItem[]
  readonly resources?: readonly string[]
}

type Places = Pick<Io, 'env' | 'cwd'>

const CACHE_LIMITS = { servers: 64, items: 500, arguments: 50, values: 50, nameChars: 200, fileBytes: 4_194_304 }

/** What is known of a server; nothing where it was never listed. */
export async function knownServer(target: TargetKind, io: Places): Promise<KnownServer> {
  try {
    const file = fileOf(target, io)
    if ((await stat(file)).size > CACHE_LIMITS.fileBytes) return {}
    // Written by `remember` alone, in a folder of the user's own.
    return JSON.parse(await readFile(file, 'utf8')) as KnownServer
  } catch {
    return {}
  }
}

/** Notes what the server lists while it is used, and keeps it when it is closed. */
export function withMemory(open: OpenTarget, target: TargetKind, io: Places): OpenTarget {
  let seen: KnownServer = {}
  return {
    ...open,
    tools: async () => {
      const tools = await open.tools()
      seen = { ...seen, tools: tools.slice(0, CACHE_LIMITS.items).filter(isShort).map(toKnownTool) }
      return tools
    },
    prompts: async () => {
      const prompts = await open.prompts()
      seen = { ...seen, prompts: prompts.slice(0, CACHE_LIMITS.items).filter(isShort).map(toKnownPrompt) }
      return prompts
    },
    resources: async () => {
      const resources = await open.resources()
      seen = { ...seen, resources: resources.slice(0, CACHE_LIMITS.items).map(uriOf).filter(fits) }
      return resources
    },
    close: async () => {
      await open.close()
      // Completion is a convenience: a folder that cannot be written to fails no command.
      if (Object.keys(seen).length > 0) await remember(target, seen, io).catch(() => {})
    },
  }
}

async function remember(target: TargetKind, seen: KnownServer, io: Places): Promise<void> {
  const folder = folderOf(io)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = fileOf(target, io)
  const text = JSON.stringify({ ...(await knownServer(target, io)), ...seen })
  if (text.length > CACHE_LIMITS.fileBytes / 4) return
  const draft = `${file}.${randomUUID()}.tmp`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  await rename(draft, file)
  await forgetOldest(folder)
}

/** Drafts that a killed command left count, too. */
async function forgetOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= CACHE_LIMITS.servers) return
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  )
  const oldest = aged.sort((a, b) => b.at - a.at).slice(CACHE_LIMITS.servers)
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })))
}

function folderOf(io: Places): string {
  return join(stateOf(io), 'completion')
}

/** Named by digest: an address or a command may hold what belongs in no file name. */
function fileOf(target: TargetKind, io: Places): string {
  const key = JSON.stringify(keyOf(target, io))
  return join(folderOf(io), `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
}

function keyOf(target: TargetKind, { cwd }: Places): readonly unknown[] {
  switch (target.kind) {
    case 'url':
      return ['url', target.url]
    case 'file':
      return ['file', resolve(cwd, target.file)]
    case 'command':
      return ['command', cwd, target.command, target.args]
    case 'name':
      return target.args === undefined ? ['name', target.name] : ['name', cwd, target.name, target.args]
  }
}

function toKnownTool({ name, inputSchema }: Tool): KnownItem {
  const { properties } = inputSchema as { properties?: unknown }
  const named = Object.entries(isObject(properties) ? properties : {}).filter(([one]) => fits(one))
  return {
    name,
    arguments: named.slice(0, CACHE_LIMITS.arguments).map(([one, schema]) => {
      const values = valuesOf(schema)
      return { name: one, ...(values.length > 0 && { values }) }
    }),
  }
}

function toKnownPrompt({ name, arguments: args = [] }: Prompt): KnownItem {
  const named = args.filter(isShort).slice(0, CACHE_LIMITS.arguments)
  return { name, arguments: named.map((one) => ({ name: one.name })) }
}

function valuesOf(schema: unknown): string[] {
  if (!isObject(schema)) return []
  if (schema.type === 'boolean') return ['true', 'false']
  const own: unknown[] = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  const choices: unknown = schema.anyOf ?? schema.oneOf
  const found =
    own.length > 0 ? own.map(String) : Array.isArray(choices) ? choices.flatMap(valuesOf) : valuesOf(schema.items)
  return found.filter(fits).slice(0, CACHE_LIMITS.values)
}

function uriOf({ uri }: Resource): string {
  return uri
}

function isShort({ name }: { readonly name: string }): boolean {
  return fits(name)
}

function fits(text: string): boolean {
  return text.length <= CACHE_LIMITS.nameChars
}
