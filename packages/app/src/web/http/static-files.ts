/** The built page, read into memory at start: a list of known files, so that no path of a request touches the disk. */

import { readdir, readFile } from 'node:fs/promises'
import { extname, join, posix, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface StaticFile {
  readonly bytes: Buffer
  /** The same, packed, where that is worth it. */
  readonly gzip?: Buffer
  readonly type: string
  /** Its name changes with its content. */
  readonly immutable: boolean
}

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
}

const PACKED = /^(?:text\/|application\/json|image\/svg)/
const pack = promisify<Buffer, { level: number }, Buffer>(gzip)

export async function readStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
  const read = files.map(async (entry): Promise<[string, StaticFile]> => {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    const name = posix.join('/', relative(folder, path).split(sep).join('/'))
    const type = TYPES[extname(entry.name)] ?? 'application/octet-stream'
    const bytes = await readFile(path)
    const packed = PACKED.test(type) && bytes.length > 1_024 ? await pack(bytes, { level: 6 }) : undefined
    return [name, { bytes, ...(packed && { gzip: packed }), type, immutable: name.startsWith('/assets/') }]
  })
  return new Map(await Promise.all(read))
}
