/** Which language server is for which files: those that are known by name, and those that the operator names. */

import { extname } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
import { findProgram } from '../machine/program.ts'

export interface Language {
  /** The name of the language in the protocol. */
  readonly id: string
  readonly extensions: readonly string[]
  /** The program with its arguments. */
  readonly command: readonly string[]
}

const KNOWN: readonly Language[] = [
  {
    id: 'typescript',
    extensions: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
    command: ['typescript-language-server', '--stdio'],
  },
  { id: 'python', extensions: ['.py', '.pyi'], command: ['pyright-langserver', '--stdio'] },
  { id: 'rust', extensions: ['.rs'], command: ['rust-analyzer'] },
  { id: 'go', extensions: ['.go'], command: ['gopls'] },
  { id: 'c', extensions: ['.c', '.h', '.cc', '.cpp', '.hpp'], command: ['clangd'] },
]

/** Names of languages where they differ from that of the server's first. */
const IDS: { readonly [extension: string]: string } = {
  '.tsx': 'typescriptreact',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.jsx': 'javascriptreact',
  '.cc': 'cpp',
  '.cpp': 'cpp',
  '.hpp': 'cpp',
}

/** The languages that can be served here: what the operator named counts before what the machine has. */
export async function findLanguages(given: readonly string[]): Promise<readonly Language[]> {
  const named = given.map(readLanguage)
  const found = await Promise.all(
    KNOWN.map(async (language) => {
      const [program = '', ...args] = language.command
      const path = await findProgram(program)
      return path === undefined ? [] : [{ ...language, command: [path, ...args] }]
    }),
  )
  return [...named, ...found.flat()]
}

/** `.ext,.ext=program argument …` */
function readLanguage(entry: string): Language {
  const [left = '', ...right] = entry.split('=')
  const extensions = left.split(',').map((extension) => extension.trim().toLowerCase())
  const command = right
    .join('=')
    .split(' ')
    .filter((word) => word !== '')
  if (command.length === 0 || !extensions.every((extension) => /^\.[a-z0-9_+-]{1,20}$/.test(extension))) {
    throw new PorticoError('invalid-arguments', `languages takes ".ext,.ext=program argument …", not "${entry}"`)
  }
  return { id: extensions[0]?.slice(1) ?? '', extensions, command }
}

export function languageOf(languages: readonly Language[], path: string): Language | undefined {
  const extension = extname(path).toLowerCase()
  return languages.find(({ extensions }) => extensions.includes(extension))
}

export function languageIdOf({ id }: Language, path: string): string {
  return IDS[extname(path).toLowerCase()] ?? id
}
