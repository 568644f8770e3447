/**
 * The tools that change files, and the one that only shows what would change. Each asks the user before something that
 * was there is altered or moved; on the newest revision the handler then runs again, so nothing happens before the answer.
 */

import { type AskingContext, ToolError, tool } from '@portico/sdk/server'
import { requireConfirmation } from '../../confirmation.ts'
import { toDifference, toShown, WAS_BINARY } from '../../text/difference.ts'
import { spellHidden, spellLine } from '../../text/plain-text.ts'
import { type Reached, requireExisting } from '../confine.ts'
import { applyReplacements, type Replacement } from '../edit.ts'
import type { FilesHost } from '../host.ts'
import { decodeText } from '../read.ts'
import { createFile, createFolder, moveEntry, replaceFile, type Snapshot, takeSnapshot, trashEntry } from '../write.ts'
import { askToTake } from './held-names.ts'

const PATH = {
  type: 'string',
  description: 'Absolute, or in the only directory',
} as const

export const EDITS = {
  type: 'object',
  properties: {
    path: PATH,
    edits: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'Applied one after the other',
      items: {
        type: 'object',
        properties: {
          oldText: { type: 'string', description: 'As in the file; must be there once' },
          newText: { type: 'string', description: 'In its place' },
          all: { type: 'boolean', description: 'Replace every occurrence' },
        },
        required: ['oldText', 'newText'],
        additionalProperties: false,
      },
    },
  },
  required: ['path', 'edits'],
  additionalProperties: false,
} as const

const CHANGED = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where the file really is' },
    created: { type: 'boolean', description: 'True for a new file' },
    bytes: { type: 'integer', description: 'How many it has now' },
    difference: { type: 'string', description: 'A unified diff, or how many lines changed; empty when nothing does' },
  },
  required: ['path'],
  additionalProperties: false,
} as const
/** A longer difference is counted rather than repeated: whoever wrote it knows it. */
const MAX_DIFFERENCE = 4_000

export function createPreviewEdit(host: FilesHost) {
  return tool(
    {
      title: 'Preview an edit',
      description: 'Shows as a unified diff what edit_file would change. Writes nothing.',
      input: EDITS,
      output: CHANGED,
      readOnly: true,
      idempotent: true,
      openWorld: false,
    },
    async ({ path, edits }, ctx) => {
      const reached = await host.existing(path, ctx)
      const { difference } = await prepareEdit(host, reached, edits)
      return { path: reached.path, difference }
    },
  )
}

export function createWriteTools(host: FilesHost) {
  return {
    edit_file: createEditFile(host),
    write_file: createWriteFile(host),
    create_directory: createCreateDirectory(host),
    move_file: createMoveFile(host),
    trash_file: createTrashFile(host),
  }
}

function createEditFile(host: FilesHost) {
  return tool(
    {
      title: 'Edit a file',
      description: 'Replaces exact pieces of text in a file, after showing the difference to the user.',
      input: EDITS,
      output: CHANGED,
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
    async ({ path, edits }, ctx) => {
      const reached = await host.existing(path, ctx)
      const { snapshot, bytes, difference, after } = await prepareEdit(host, reached, edits)
      if (difference !== '') {
        await ask(host, ctx, `Change ${reached.path}?`, toShown(difference, after))
        await replaceFile(reached, bytes, snapshot)
        host.changed(reached.path)
      }
      return { path: reached.path, difference: brief(difference) }
    },
  )
}

function createWriteFile(host: FilesHost) {
  return tool(
    {
      title: 'Write a file',
      description:
        'Writes a text file. One that exists is replaced only with overwrite, after the user has seen the difference.',
      input: {
        type: 'object',
        properties: {
          path: PATH,
          text: { type: 'string', description: 'The whole contents' },
          content: { type: 'string', description: 'The same as text' },
          overwrite: { type: 'boolean', description: 'Whether an existing file may be replaced' },
        },
        required: ['path'],
        additionalProperties: false,
      },
      output: CHANGED,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
    async ({ path, text: given, content, overwrite }, ctx) => {
      const text = oneOf('text', given, content)
      const reached = await host.confinement.reach(path, await host.scope(ctx))
      const bytes = toBytes(text, host)
      const about = { path: reached.path, bytes: bytes.length }
      if (!reached.exists) {
        await createFile(reached, bytes)
        host.changed(reached.path)
        return { ...about, created: true }
      }
      if (overwrite !== true) {
        throw new ToolError(`${reached.path} exists. Set overwrite to replace it, or use edit_file to change a part`)
      }
      const snapshot = await takeSnapshot(reached.path, host.settings.maxWriteBytes)
      const before = decodeText(snapshot.bytes)
      const difference = before === undefined ? WAS_BINARY : toDifference(reached.relative, before, text)
      if (difference !== '') {
        await ask(host, ctx, `Replace ${reached.path}?`, toShown(difference, text))
        await replaceFile(reached, bytes, snapshot)
        host.changed(reached.path)
      }
      return { ...about, difference: brief(difference) }
    },
  )
}

function createCreateDirectory(host: FilesHost) {
  return tool(
    {
      title: 'Create a directory',
      description: 'Makes a directory, and those above it that are missing. One that exists is fine.',
      input: { type: 'object', properties: { path: PATH }, required: ['path'], additionalProperties: false },
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'The directory' },
          created: { type: 'boolean', description: 'False when it was there' },
        },
        required: ['path', 'created'],
        additionalProperties: false,
      },
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
    async ({ path }, ctx) => {
      const reached = await host.confinement.reach(path, await host.scope(ctx))
      const created = await createFolder(reached)
      if (created) host.changed(reached.path)
      return { path: reached.path, created }
    },
  )
}

function createMoveFile(host: FilesHost) {
  return tool(
    {
      title: 'Move a file',
      description: 'Moves or renames a file or directory, after asking the user. The new place must be free.',
      input: {
        type: 'object',
        properties: {
          from: PATH,
          to: { ...PATH, description: 'The new path, name included; its directory must exist' },
          source: { type: 'string', description: 'The same as from' },
          destination: { type: 'string', description: 'The same as to' },
        },
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          from: { type: 'string', description: 'Where it was' },
          to: { type: 'string', description: 'Where it is' },
        },
        required: ['from', 'to'],
        additionalProperties: false,
      },
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
    async (args, ctx) => {
      const from = oneOf('from', args.from, args.source)
      const to = oneOf('to', args.to, args.destination)
      const scope = await host.scope(ctx)
      const source = requireExisting(await host.confinement.reachEntry(from, scope), from)
      const target = await host.confinement.reachEntry(to, scope)
      if (target.exists) throw new ToolError(`${target.path} exists. Choose another place, or trash it first`)
      await askToTake(host, ctx, source, `Move ${source.path} to ${target.path}?`)
      await moveEntry(source, target)
      host.changed(source.path)
      host.changed(target.path)
      return { from: source.path, to: target.path }
    },
  )
}

function createTrashFile(host: FilesHost) {
  return tool(
    {
      title: 'Trash a file',
      description:
        'Moves a file or directory to the trash, after asking the user. Nothing is deleted; move_file brings it back.',
      input: { type: 'object', properties: { path: PATH }, required: ['path'], additionalProperties: false },
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where it was' },
          trashedTo: { type: 'string', description: 'Where it is now' },
        },
        required: ['path', 'trashedTo'],
        additionalProperties: false,
      },
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
    async ({ path }, ctx) => {
      const reached = requireExisting(await host.confinement.reachEntry(path, await host.scope(ctx)), path)
      await askToTake(host, ctx, reached, `Move ${reached.path} to the trash?`)
      const trashedTo = await trashEntry(reached, host.settings.trash)
      host.changed(reached.path)
      return { path: reached.path, trashedTo }
    },
  )
}

export async function prepareEdit(
  host: FilesHost,
  reached: Reached,
  edits: readonly Replacement[],
): Promise<{ snapshot: Snapshot; bytes: Uint8Array; difference: string; after: string }> {
  const snapshot = await takeSnapshot(reached.path, host.settings.maxWriteBytes)
  const before = decodeText(snapshot.bytes)
  if (before === undefined)
    throw new ToolError(`${reached.path} is not text in UTF-8 and cannot be edited by replacing text`)
  const after = applyReplacements(before, edits, host.settings.maxWriteBytes)
  return { snapshot, bytes: toBytes(after, host), difference: toDifference(reached.relative, before, after), after }
}

export function brief(difference: string): string {
  if (difference.length <= MAX_DIFFERENCE) return difference
  const count = (sign: string): number => difference.split('\n').filter((line) => line.startsWith(sign)).length - 1
  return `${count('+')} lines added, ${count('-')} removed`
}

export function toBytes(text: string, host: FilesHost): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  const { maxWriteBytes } = host.settings
  if (bytes.length <= maxWriteBytes) return bytes
  throw new ToolError(`The file would have ${bytes.length} bytes; the option "maxWriteBytes" allows ${maxWriteBytes}`)
}

export function ask(host: FilesHost, ctx: AskingContext, question: string, shown = ''): Promise<void> {
  return requireConfirmation(ctx, spellLine(question), host.settings.allowUnasked, spellHidden(shown))
}

/** The value of a parameter that people and models call by two names. */
export function oneOf(name: string, given: string | undefined, alias: string | undefined): string {
  if (given !== undefined && alias !== undefined && given !== alias) {
    throw new ToolError(`"${name}" was given twice, and differently`)
  }
  const value = given ?? alias
  if (value === undefined) throw new ToolError(`"${name}" is missing`)
  return value
}
