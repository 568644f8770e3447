/**
 * Syntax trees of files by tree-sitter. Its packages are optional: they are found when the server starts, loaded when the first
 * tree is asked for, and never looked for in the project itself, whose code is not to be run.
 */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { PorticoError, ToolError } from '@portico/sdk/server'

interface Point {
  readonly row: number
}

/** As much of a node as is read here. */
export interface SyntaxNode {
  readonly type: string
  readonly text: string
  readonly startPosition: Point
  readonly endPosition: Point
  readonly namedChildren: readonly (SyntaxNode | null)[]
  childForFieldName(name: string): SyntaxNode | null
}

interface Tree {
  readonly rootNode: SyntaxNode
  delete(): void
}

interface TreeParser {
  setLanguage(language: unknown): void
  parse(text: string, old: null, options: { progressCallback(): boolean }): Tree | null
  delete(): void
}

/** As much of `web-tree-sitter` as is used here. */
interface TreeSitter {
  readonly Parser: { new (): TreeParser; init(): Promise<void> }
  readonly Language: { load(file: string): Promise<unknown> }
}

/** Where the parser's module and the folder of the grammars are. */
interface Places {
  readonly parser: string
  readonly grammars: string
}

const PACKAGES = 'web-tree-sitter @vscode/tree-sitter-wasm'

/** At most for one file: nothing else is answered in the meantime. */
const MAX_MS = 3_000

/** The grammar of a file by the end of its name. */
const GRAMMARS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ typescript: '.ts .mts .cts', tsx: '.tsx', javascript: '.js .mjs .cjs .jsx', python: '.py .pyi', go: '.go' },
    ...{ rust: '.rs', java: '.java', ruby: '.rb', php: '.php', 'c-sharp': '.cs', css: '.css', bash: '.sh' },
    cpp: '.c .h .cc .cpp .hpp',
  }).flatMap(([grammar, ends]) => ends.split(' ').map((end) => [end, grammar] as const)),
)

export class Syntax {
  readonly #places: Places | undefined
  readonly #limitMs: number
  readonly #languages = new Map<string, Promise<unknown>>()
  #loaded: Promise<TreeSitter> | undefined

  private constructor(places: Places | undefined, timeoutMs: number) {
    this.#places = places
    this.#limitMs = Math.min(MAX_MS, timeoutMs)
  }

  get isInstalled(): boolean {
    return this.#places !== undefined
  }

  /**
   * Where the packages are: in the `node_modules` of the folder that the operator names, or beside this package. Where
   * they are not installed and nobody said that they were, reading says so.
   */
  static find(folder: string | undefined, timeoutMs: number): Syntax {
    const from = folder === undefined ? fileURLToPath(import.meta.url) : join(resolve(folder), 'package.json')
    const require = createRequire(from)
    try {
      const grammars = join(dirname(require.resolve('@vscode/tree-sitter-wasm/package.json')), 'wasm')
      return new Syntax({ parser: require.resolve('web-tree-sitter'), grammars }, timeoutMs)
    } catch (cause) {
      if (folder === undefined) return new Syntax(undefined, timeoutMs)
      throw new PorticoError(
        'invalid-arguments',
        `The option grammars names a folder without the packages for syntax trees: npm install --prefix ${folder} ${PACKAGES}`,
        { cause },
      )
    }
  }

  /** Gives the root of the tree to `read`, and frees the tree afterwards. Parsing holds up everything else: `until` ends it. */
  async read<T>(path: string, text: string, read: (root: SyntaxNode, until: number) => T): Promise<T> {
    if (this.#places === undefined) {
      throw new ToolError(`Syntax trees need packages that are not installed: npm install ${PACKAGES}`)
    }
    const { Parser, Language } = await this.#load(this.#places.parser)
    const file = grammarOf(path, this.#places.grammars)
    const language = await this.#language(file, Language)
    const parser = new Parser()
    try {
      parser.setLanguage(language)
      const until = performance.now() + this.#limitMs
      const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until })
      if (tree === null) throw new ToolError(`The file could not be parsed within ${this.#limitMs} ms.`)
      try {
        return read(tree.rootNode, until)
      } finally {
        tree.delete()
      }
    } finally {
      parser.delete()
    }
  }

  #language(file: string, language: TreeSitter['Language']): Promise<unknown> {
    const known = this.#languages.get(file)
    if (known !== undefined) return known
    const loading = language.load(file)
    this.#languages.set(file, loading)
    // Whoever asks next tries again.
    loading.catch(() => this.#languages.delete(file))
    return loading
  }

  #load(parser: string): Promise<TreeSitter> {
    if (this.#loaded !== undefined) return this.#loaded
    const loading = loadParser(parser)
    this.#loaded = loading
    loading.catch(() => {
      this.#loaded = undefined
    })
    return loading
  }
}

async function loadParser(parser: string): Promise<TreeSitter> {
  const loaded: TreeSitter = await import(pathToFileURL(parser).href)
  await loaded.Parser.init()
  return loaded
}

function grammarOf(path: string, folder: string): string {
  const name = GRAMMARS.get(extname(path).toLowerCase())
  const file = join(folder, `tree-sitter-${name}.wasm`)
  if (name !== undefined && existsSync(file)) return file
  throw new ToolError(`There is no grammar for that file (there are some for ${[...GRAMMARS.keys()].join(' ')}).`)
}
