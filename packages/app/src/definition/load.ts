/**
 * From a file that somebody wrote to a server that can be served: TypeScript or JavaScript, with a server as its default
 * export. Commands that are given a file go through here; `dev` does so again whenever the file changes.
 */

import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stateFolder } from '@portico/host/config'
import { Server } from '@portico/sdk/server'
import { createJiti, type Jiti } from 'jiti'
import { CliError } from '../exit-codes.ts'
import { nameExits } from './exit-in-definition.ts'
import { ENDINGS } from './file-name.ts'
import { importsOf } from './imports.ts'

export interface Definition {
  readonly server: Server
  /** The file, and those beside it that it is made of. */
  readonly files: readonly string[]
  /** Ends what the definition holds open, where it says how. */
  close(): Promise<void>
}

export interface LoadOptions {
  readonly cwd: string
  readonly env: { readonly [name: string]: string | undefined }
  /** Is told, with a line, before something in the definition ends this process. */
  readonly say?: (text: string) => void
}

const REMEDY = 'The file needs `export default createServer({ … })`; `portico new <folder>` makes one to begin with.'

/** Reads the file as it is now, whatever was loaded from it before. */
export async function loadDefinition(path: string, options: LoadOptions): Promise<Definition> {
  const file = resolve(options.cwd, path)
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile())
    throw new CliError('not-found', `There is no file ${path}`, 'Give the path of a server definition.')
  if (!ENDINGS.includes(extname(file))) {
    throw new CliError('usage', `${path} is no definition: it must end in ${ENDINGS.join(', ')}`, REMEDY)
  }
  const { doors, files } = await importsOf(file)
  const jiti = createLoader(file, await openDoors(doors), options)
  for (const one of files) delete jiti.cache[one]
  const restore = options.say === undefined ? undefined : nameExits(path, options.say)
  try {
    const made = await toReady(await evaluate(jiti, file, path), path)
    return {
      ...made,
      files: [...files],
      close: async () => {
        await made.close()
        restore?.()
      },
    }
  } catch (error) {
    restore?.()
    throw error
  }
}

function createLoader(file: string, doors: { readonly [name: string]: unknown }, { env }: LoadOptions): Jiti {
  const folder = join(stateFolder(env, process.platform, homedir()), 'cache', 'definitions')
  // Not in the folder for temporary files, where others could put code of theirs.
  return createJiti(pathToFileURL(file).href, { virtualModules: doors, fsCache: folder, interopDefault: false })
}

async function openDoors(names: ReadonlySet<string>): Promise<{ [name: string]: unknown }> {
  const opened = await Promise.all(
    [...names].map(async (name) => {
      // A door that does not exist is the definition's mistake; loading it says so with the place.
      const door = await import(name).catch(() => undefined)
      return door === undefined ? [] : [[name, door] as const]
    }),
  )
  return Object.fromEntries(opened.flat())
}

async function evaluate(jiti: Jiti, file: string, path: string): Promise<unknown> {
  try {
    // Plain modules would be left to Node, which loads each only once.
    if (extname(file) !== '.mjs') return await jiti.import(file)
    const text = await readFile(file, 'utf8')
    return await jiti.evalModule(text, { id: file, filename: file, ext: '.mjs', async: true, forceTranspile: true })
  } catch (error) {
    throw new CliError('failed', `${path} cannot be loaded: ${describe(error, file)}`, remedyFor(error), error)
  }
}

function describe(error: unknown, file: string): string {
  if (!(error instanceof Error)) return String(error)
  const [first = '', second = ''] = error.message.replace(/^ParseError: /, '').split('\n')
  // A parser's message has the place in its second line, any other error in its stack.
  const place = (second.includes(file) ? second : (error.stack ?? '')).split(file)[1]
  const [, line, column] = /^:(\d+):(\d+)/.exec(place ?? '') ?? []
  const where = line === undefined ? '' : ` (line ${line}, column ${column})`
  return `${first.trim()}${where}`
}

function remedyFor(error: unknown): string {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  const [, missing] = /Cannot find (?:module|package) '([^'./][^']*)'/.exec(message) ?? []
  if (missing !== undefined) return `Install it in the definition's folder: \`npm install ${missing}\`.`
  return code === 'invalid-definition' ? 'Correct the definition.' : 'Correct the file; PORTICO_DEBUG=1 shows more.'
}

/** The default export: a server, one with a way to close it, or a function that makes either. */
async function toReady(loaded: unknown, path: string): Promise<Omit<Definition, 'files'>> {
  const exported = (loaded as { default?: unknown } | undefined)?.default
  const made = typeof exported === 'function' ? await (exported as () => unknown)() : await exported
  if (made instanceof Server) return { server: made, close: async () => {} }
  const { server, close } = (made ?? {}) as { server?: unknown; close?: () => unknown }
  if (server instanceof Server) {
    return {
      server,
      close: async () => {
        await close?.call(made)
      },
    }
  }
  const name = relative('.', path) || path
  if (exported === undefined) throw new CliError('failed', `${name} has no default export`, REMEDY)
  throw new CliError('failed', `The default export of ${name} is no server`, REMEDY)
}
