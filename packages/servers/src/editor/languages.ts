/** Which language server is for which files: those that are known by name, and those that the operator names. */

import { extname } from 'node:path'
import { PorticoError } from '@portico/sdk/server'
import { findCommand } from '../machine/program.ts'

export interface Language {
  /** The name of the language in the protocol, where the end of a file's name does not decide it. */
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

/** Names of languages in the protocol that are not the end of a file's name: servers go by them alone. */
const IDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    typescript: '.ts .mts .cts',
    typescriptreact: '.tsx',
    javascript: '.js .mjs .cjs',
    javascriptreact: '.jsx',
    python: '.py .pyi',
    cpp: '.cc .cpp .hpp',
    rust: '.rs',
    ruby: '.rb',
    csharp: '.cs',
    shellscript: '.sh',
    markdown: '.md',
  }).flatMap(([id, ends]) => ends.split(' ').map((end) => [end, id] as const)),
)

/** The languages that can be served here: what the operator named counts before what the machine has. */
export async function findLanguages(given: readonly string[]): Promise<readonly Language[]> {
  const named = await Promise.all(given.map(readLanguage))
  const found = await Promise.all(
    KNOWN.map(async (language) => {
      const [program = '', ...args] = language.command
      const found = await findCommand(program)
      return found === undefined ? [] : [{ ...language, command: [...found, ...args] }]
    }),
  )
  return [...named, ...found.flat()]
}

/** `.ext,.ext=program argument …`; what has blanks in it stands between quotes. */
async function readLanguage(entry: string): Promise<Language> {
  const [left = '', ...right] = entry.split('=')
  const extensions = left.split(',').map((extension) => extension.trim().toLowerCase())
  const words = [...right.join('=').matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word)
  const [program, ...args] = words
  if (program === undefined || !extensions.every((extension) => /^\.[a-z0-9_+-]{1,20}$/.test(extension))) {
    throw new PorticoError('invalid-arguments', `languages takes ".ext,.ext=program argument …", not "${entry}"`)
  }
  // Systems look for a bare name in the folder of the project too, where anybody may have put one.
  const found = /[\\/]/.test(program) ? [program] : await findCommand(program)
  if (found === undefined) throw new PorticoError('invalid-arguments', `There is no program "${program}" on the path`)
  return { id: extensions[0]?.slice(1) ?? '', extensions, command: [...found, ...args] }
}

export function languageOf(languages: readonly Language[], path: string): Language | undefined {
  const extension = extname(path).toLowerCase()
  return languages.find(({ extensions }) => extensions.includes(extension))
}

export function languageIdOf({ id }: Language, path: string): string {
  return IDS.get(extname(path).toLowerCase()) ?? id
}
