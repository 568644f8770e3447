/** Files and directories as resources: a template for all of them, and each configured directory by name. */

import { basename, dirname, join, sep } from 'node:path'
import { type Completer, type ResourceDefinition, resource } from '@portico/sdk/server'
import { withDirectory } from './anchor.ts'
import { PathError } from './confine.ts'
import type { FileList } from './file-list.ts'
import { type FilesHost, toFileUri } from './host.ts'
import { inPlainWords } from './plain-errors.ts'
import { listPage } from './tools/tools-list.ts'
import { readReached } from './tools/tools-read.ts'
import { listNames } from './walk.ts'

const PREFIX = 'file:///'

export function createFileResources(host: FilesHost, files?: FileList): { [name: string]: ResourceDefinition } {
  const file = resource(
    {
      uri: 'file:///{+path}',
      title: 'Files',
      description: 'Any file (its contents) or directory (a listing as JSON) that this server can reach',
      complete: { path: createPathCompleter(host) },
      // As for completion: where the client's roots count, they cannot be asked for here.
      ...(files && { list: async (ctx) => (host.limitsToRoots(ctx) ? [] : [...(await files.list())]) }),
    },
    ({ path }, ctx) => inPlainWords(() => read(host, toPath(path), ctx)),
  )
  const directories = host.confinement.directories.map(({ given, real }, index) => {
    const title = `Directory ${basename(given) || given}`
    const options = {
      uri: toFileUri(real + sep),
      title,
      description: `What is in ${given}`,
      mimeType: 'application/json',
    }
    return [`directory-${index + 1}`, resource(options, (_, ctx) => inPlainWords(() => read(host, real, ctx)))] as const
  })
  return { ...Object.fromEntries(directories), file }
}

/** The path that a `file:` URI means, before it is judged. */
export function fromFileUri(uri: string): string | undefined {
  if (!uri.startsWith(PREFIX)) return undefined
  try {
    return toPath(decodeURIComponent(uri.slice(PREFIX.length)))
  } catch {
    return undefined
  }
}

/** Proposes paths as they are typed; says nothing where only the client's roots could tell what may be seen (sec-134). */
export function createPathCompleter(host: FilesHost): Completer {
  return async (typed, _chosen, ctx) => {
    if (host.limitsToRoots(ctx)) return []
    const isAbsolute = typed.startsWith('/') || /^[a-z]:/i.test(typed)
    const path = isAbsolute || process.platform === 'win32' ? typed : `/${typed}`
    const known = host.confinement.directories
      .map(({ real }) => real + sep)
      .filter((one) => one !== path && one.startsWith(path))
    const shown = (found: string): string => (isAbsolute ? found : found.slice(process.platform === 'win32' ? 0 : 1))
    if (known.length > 0) return known.map(shown)
    try {
      const isFolder = /[\\/]$/.test(path)
      const folder = await host.confinement.reach(isFolder ? path : dirname(path), undefined)
      const start = isFolder ? '' : basename(path)
      const names = (await listNames(folder.path)).filter(({ name }) => name.startsWith(start))
      return names
        .map(({ name, kind }) => ({ path: join(folder.path, name), kind }))
        .filter((one) => !host.confinement.isDenied(folder.directory, one.path))
        .map((one) => shown(one.kind === 'directory' ? one.path + sep : one.path))
    } catch (error) {
      if (error instanceof PathError) return []
      throw error
    }
  }
}

async function read(host: FilesHost, path: string, ctx: Parameters<FilesHost['scope']>[0]) {
  try {
    const reached = await host.existing(path, ctx)
    if (await isFolder(reached.path)) {
      const listing = await listPage(host, reached)
      return {
        uri: toFileUri(reached.path + sep),
        mimeType: 'application/json',
        text: JSON.stringify(listing, null, 2),
      }
    }
    const { read: found, blob } = await readReached(host, reached, {}, ctx.signal)
    const { uri, mimeType } = found
    if (blob === undefined) {
      // A resource has no ranges: what does not fit is said, in the result's own metadata, rather than passed by.
      const _meta = { 'portico/size': found.size, 'portico/nextLine': found.nextLine }
      const text = found.text ?? ''
      return found.nextLine === undefined ? { uri, mimeType, text } : { uri, mimeType, text, _meta }
    }
    const data =
      blob.type === 'image' ? blob.data : blob.type === 'resource' && 'blob' in blob.resource ? blob.resource.blob : ''
    return { uri, mimeType, blob: data }
  } catch (error) {
    // What is outside and what does not exist look alike.
    if (error instanceof PathError && (error.fault === 'outside' || error.fault === 'absent')) return undefined
    throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  return withDirectory(path, async () => true).catch(() => false)
}

function toPath(path: string): string {
  return process.platform === 'win32' ? path : `/${path}`
}
