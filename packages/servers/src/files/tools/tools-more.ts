/** Tools that build on reading and writing: copies, additions to a file, and edits of several files at once. */

import { ToolError, tool } from '@portico/sdk/server'
import { toShown } from '../../text/difference.ts'
import { withFile } from '../anchor.ts'
import { type Reached, requireExisting } from '../confine.ts'
import type { Replacement } from '../edit.ts'
import type { FilesHost } from '../host.ts'
import { decodeText, readBytes } from '../read.ts'
import { createFile, replaceFile, replaceFiles, takeSnapshot } from '../write.ts'
import { PATH } from './tool-schemas.ts'
import { ask, brief, EDITS, oneOf, prepareEdit, toBytes } from './tools-write.ts'

const MAX_FILES = 50

export function createMoreTools(host: FilesHost) {
  return {
    copy_file: createCopyFile(host),
    append_file: createAppendFile(host),
    replace_in_files: createEditFiles(host),
  }
}

function createCopyFile(host: FilesHost) {
  return tool(
    {
      title: 'Copy a file',
      description: 'Copies one file. The new place must be free.',
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
          path: { type: 'string', description: 'Where the copy is' },
          bytes: { type: 'integer', description: 'How many it has' },
        },
        required: ['path', 'bytes'],
        additionalProperties: false,
      },
      destructive: false,
      idempotent: false,
      openWorld: false,
    },
    async (args, ctx) => {
      const from = oneOf('from', args.from, args.source)
      const to = oneOf('to', args.to, args.destination)
      const scope = await host.scope(ctx)
      const source = requireExisting(await host.confinement.reach(from, scope), from)
      const target = await host.confinement.reachEntry(to, scope)
      if (target.exists) throw new ToolError(`${target.path} exists. Choose another place, or trash it first`)
      const { maxWriteBytes } = host.settings
      const bytes = await withFile(source.path, (file) => {
        if (file.size <= maxWriteBytes) return readBytes(file, 0, file.size)
        throw new ToolError(`${source.path} has ${file.size} bytes; the option "maxWriteBytes" allows ${maxWriteBytes}`)
      })
      await createFile(target, bytes)
      host.changed(target.path)
      return { path: target.path, bytes: bytes.length }
    },
  )
}

function createAppendFile(host: FilesHost) {
  return tool(
    {
      title: 'Append to a file',
      description: 'Adds text to the end of a text file, after showing it to the user.',
      input: {
        type: 'object',
        properties: { path: PATH, text: { type: 'string', minLength: 1, description: 'What is added, as it is' } },
        required: ['path', 'text'],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where the file really is' },
          bytes: { type: 'integer', description: 'How many it has now' },
        },
        required: ['path', 'bytes'],
        additionalProperties: false,
      },
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
    async ({ path, text }, ctx) => {
      const reached = await host.existing(path, ctx)
      const snapshot = await takeSnapshot(reached.path, host.settings.maxWriteBytes)
      const before = decodeText(snapshot.bytes)
      if (before === undefined) throw new ToolError(`${reached.path} is not text in UTF-8: nothing is added to it`)
      const bytes = toBytes(before + text, host)
      await ask(host, ctx, `Add to the end of ${reached.path}?`, text)
      await replaceFile(reached, bytes, snapshot)
      host.changed(reached.path)
      return { path: reached.path, bytes: bytes.length }
    },
  )
}

const EDITED_FILES = {
  type: 'object',
  properties: {
    files: {
      type: 'array',
      description: 'In the order they were given',
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where the file really is' },
          difference: { type: 'string', description: 'A unified diff, or how many lines changed' },
        },
        required: ['path', 'difference'],
        additionalProperties: false,
      },
    },
  },
  required: ['files'],
  additionalProperties: false,
} as const

function createEditFiles(host: FilesHost) {
  return tool(
    {
      title: 'Replace in several files',
      description: 'edit_file for several files with one question. All edits must fit before any file is written.',
      input: {
        type: 'object',
        properties: {
          files: { type: 'array', items: EDITS, minItems: 1, maxItems: MAX_FILES, description: 'Each once' },
        },
        required: ['files'],
        additionalProperties: false,
      },
      output: EDITED_FILES,
      destructive: true,
      idempotent: false,
      openWorld: false,
    },
    async ({ files }, ctx) => {
      const scope = await host.scope(ctx)
      const prepared: ({ readonly reached: Reached } & Awaited<ReturnType<typeof prepareEdit>>)[] = []
      for (const { path, edits } of files) {
        const reached = requireExisting(await host.confinement.reach(path, scope), path)
        if (prepared.some((one) => one.reached.path === reached.path)) {
          throw new ToolError(`${reached.path} is there twice: put all of its edits together`)
        }
        // The schema says so, deeper than the compiler follows it.
        const replacements = edits as readonly Replacement[]
        prepared.push({ reached, ...(await prepareEdit(host, reached, replacements)) })
      }
      const changing = prepared.filter(({ difference }) => difference !== '')
      if (changing.length > 0) {
        const shown = changing.map(({ difference, after }) => toShown(difference, after)).join('\n')
        await ask(host, ctx, `Change ${changing.map(({ reached }) => reached.path).join(', ')}?`, shown)
      }
      // Also where it fails: what could not be put back has changed.
      await replaceFiles(changing).finally(() => {
        for (const { reached } of changing) host.changed(reached.path)
      })
      return {
        files: prepared.map(({ reached, difference }) => ({ path: reached.path, difference: brief(difference) })),
      }
    },
  )
}
