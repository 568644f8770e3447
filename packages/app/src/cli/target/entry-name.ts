/** What a server is called in another program's file: after its definition, or after where it lies. */

import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { Io } from '../terminal/io.ts'
import { labelOf, type TargetKind } from './target-kind.ts'

/** Names of files that say nothing about the server in them. */
const GENERIC = /^(?:server|index|main|mcp|app)$/

export async function entryNameOf(target: TargetKind | undefined, io: Io): Promise<string> {
  if (target === undefined) return 'portico'
  if (target.kind !== 'file') return toName(labelOf(target))
  return toName((await definedName(target.file, io)) ?? nameOfFile(resolve(io.cwd, target.file)))
}

/** A definition that cannot be loaded yet may still be written down. */
async function definedName(file: string, io: Io): Promise<string | undefined> {
  if (!existsSync(resolve(io.cwd, file))) return undefined
  try {
    const { loadDefinition } = await import('../../definition/load.ts')
    const { server, close } = await loadDefinition(file, io)
    await close()
    return server.info.name
  } catch {
    return undefined
  }
}

function nameOfFile(file: string): string {
  const plain = basename(file).replace(/\.[cm]?[jt]s$/, '')
  return GENERIC.test(plain) ? basename(dirname(file)) : plain
}

function toName(text: string): string {
  const plain = text
    .replace(/\.[cm]?[jt]s$/, '')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
  return plain === '' ? 'server' : plain
}
