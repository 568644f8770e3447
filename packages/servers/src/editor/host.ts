/** What the tools of the editor server have in common: the folder, its language servers, and how places are shown. */

import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AskingContext, result, ToolError, text } from '@portico/sdk/server'
import type { Confinement, Reached } from '../files/confine.ts'
import { slice } from '../text/foreign-text.ts'
import { spellHidden, toPlainText } from '../text/plain-text.ts'
import { toObject, toText } from '../vendor/values.ts'
import { type ClientLimits, LanguageClient } from './language-client.ts'
import { type Language, languageOf } from './languages.ts'
import { readRange } from './positions.ts'

export type Context = AskingContext

interface EditorSettings extends ClientLimits {
  readonly allowUnasked: boolean
  readonly maxCharacters: number
  readonly reports: readonly string[]
}

export class EditorHost {
  readonly folder: string
  readonly languages: readonly Language[]
  readonly settings: EditorSettings
  readonly #confinement: Confinement
  readonly #clients = new Map<Language, LanguageClient>()
  readonly #changed: (uri: string) => void

  constructor(
    confinement: Confinement,
    languages: readonly Language[],
    settings: EditorSettings,
    changed: (uri: string) => void,
  ) {
    this.#confinement = confinement
    this.folder = confinement.directories[0]?.real ?? ''
    this.languages = languages
    this.settings = settings
    this.#changed = changed
  }

  /** A file within the folder, links resolved. */
  async file(path: string): Promise<Reached> {
    const reached = await this.#confinement.reach(path, undefined)
    if (!reached.exists) throw new ToolError(`There is no ${spellHidden(path)} in the folder.`)
    return reached
  }

  /** The language server for a file, started when it is first wanted and again when it ended. */
  clientFor(path: string): LanguageClient {
    const language = languageOf(this.languages, path)
    if (language === undefined) {
      const known = this.languages.flatMap(({ extensions }) => extensions).join(' ')
      throw new ToolError(
        `No language server here is for that file (${known === '' ? 'none was found' : `there are some for ${known}`}). The option "languages" names others.`,
      )
    }
    return this.#client(language)
  }

  /** All that run. */
  clients(): readonly LanguageClient[] {
    return [...this.#clients.values()].filter((client) => !client.ended)
  }

  /** One for each language that there is, for questions about the whole folder. */
  everyClient(): readonly LanguageClient[] {
    return this.languages.map((language) => this.#client(language))
  }

  /** A place as a model reads it, with its line: `src/a.ts:3:7  export const a`; undefined for what is not in the folder. */
  async place(location: unknown): Promise<string | undefined> {
    const { uri, range } = toObject(location)
    const path = this.inFolder(toText(uri))
    if (path === undefined) return undefined
    const { start } = readRange(range)
    const line = await readFile(path, 'utf8').then(
      (content) => content.split('\n')[start.line] ?? '',
      () => '',
    )
    return `${this.name(path)}:${start.line + 1}:${start.character + 1}  ${line.trim().slice(0, 200)}`
  }

  /** The path of a URI that a language server named, if it is in the folder and may be read. */
  inFolder(uri: string): string | undefined {
    try {
      const path = fileURLToPath(uri)
      const inner = relative(this.folder, path)
      const outside = inner.startsWith('..') || inner === '' || inner.split(sep).includes('..')
      const [directory] = this.#confinement.directories
      if (outside || directory === undefined || this.#confinement.isDenied(directory, path)) return undefined
      return path
    } catch {
      return undefined
    }
  }

  name(path: string): string {
    return relative(this.folder, path).replaceAll(sep, '/')
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close().catch(() => {})))
    this.#clients.clear()
  }

  #client(language: Language): LanguageClient {
    const known = this.#clients.get(language)
    if (known !== undefined && !known.ended) return known
    const client = new LanguageClient(language, this.folder, this.settings)
    client.onDiagnostics(this.#changed)
    this.#clients.set(language, client)
    return client
  }
}

/** What was found, bounded; names and messages of a project are content of whoever wrote it. */
export function answer({ settings }: EditorHost, shown: string, start = 0): ReturnType<typeof result> {
  const part = slice(toPlainText(shown), start, settings.maxCharacters)
  const more = part.next === undefined ? '' : `\n[There is more: ask again with start ${part.next}.]`
  return result({ content: [text(`${part.text === '' ? 'Nothing.' : part.text}${more}`)] })
}
