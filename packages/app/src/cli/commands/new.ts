/** `portico new`: a folder with a server that runs and has a test. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { CliError } from '../../exit-codes.ts'
import { scaffoldFiles } from '../../scaffold/files.ts'
import type { CommandInput } from '../parse/command.ts'
import type { Io } from '../terminal/io.ts'

export async function run({ positionals, flags, json }: CommandInput, io: Io): Promise<number> {
  const folder = resolve(io.cwd, positionals[0] ?? '')
  const name = toName(typeof flags.name === 'string' ? flags.name : basename(folder))
  await requireEmpty(folder)
  await mkdir(folder, { recursive: true })
  const files = scaffoldFiles({ name, version: await ownVersion() })
  for (const [path, text] of Object.entries(files)) {
    // Nothing is written over, even where somebody else fills the folder at the same time.
    await writeFile(join(folder, path), text, { flag: 'wx' })
  }
  const where = relative(io.cwd, folder) || '.'
  if (json) io.out(JSON.stringify({ folder, name, files: Object.keys(files) }))
  else for (const path of Object.keys(files)) io.out(join(where, path))
  const enter = where === '.' ? '' : `  cd ${where}\n`
  io.say(`\nNext:\n${enter}  npm install\n  npm test\n  npx portico call server.ts to_fahrenheit celsius=21`)
  return 0
}

async function requireEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'ENOTDIR') return ['a file']
    throw error
  })
  if (found.filter((name) => name !== '.git').length === 0) return
  throw new CliError('failed', `${folder} is not empty`, 'Name a folder that is new or empty.')
}

/** What npm takes as a package's name. */
function toName(given: string): string {
  const name = given
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[._-]+|(?<!-)-+$/g, '')
  if (name !== '' && name.length <= 128) return name
  throw new CliError('usage', `"${given}" cannot be a server's name`, 'Give another with --name.')
}

async function ownVersion(): Promise<string> {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
  // Our own package file, beside the folder that this is in, in source and in the built package alike.
  return (JSON.parse(text) as { version: string }).version
}
