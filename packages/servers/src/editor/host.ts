/** What the tools of the editor server have in common: the folders, their language servers, and how places are shown. */

import { stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { type AskingContext, result, ToolError, text } from '@portico/sdk/server'
import { type Confinement, PathError, type Reached } from '../files/confine.ts'
import { readRegularText } from '../machine/regular-file.ts'
import { slice, UNTRUSTED } from '../text/foreign-text.ts'
import { spellHidden, toPlainText } from '../text/plain-text.ts'
import { toObject, toText } from '../vendor/values.ts'
import { toPath } from './file-uri.ts'
import { type ClientSettings, LanguageClient } from './language-client.ts'
import { type Language, languageOf } from './languages.ts'
import { readRange, toLines } from './positions.ts'

export type Context = AskingContext

interface EditorSettings extends ClientSettings {
  readonly allowUnasked: boolean
  readonly maxCharacters: number
  readonly maxFileBytes: number
  readonly reports: readonly string[]
}

export class EditorHost {
  readonly folders: readonly string[]
  readonly languages: readonly Language[]
  readonly settings: EditorSettings
  readonly #confinement: Confinement
  readonly #clients = new Map<Language, LanguageClient>()
  readonly #changed: (uri: string) => void
  #closed = false

  constructor(
    confinement: Confinement,
    languages: readonly Language[],
    settings: EditorSettings,
    changed: (uri: string) => void,
  ) {
    this.#confinement = confinement
    this.folders = confinement.directories.map(({ real }) => real)
    this.languages = languages
    this.settings = settings
    this.#changed = changed
  }

  /** A file within the folders, links resolved: no pipe or device, and not larger than is allowed. */
  async file(path: string, maxBytes = this.settings.maxFileBytes): Promise<Reached> {
    const reached = await this.#confinement.reach(path, undefined)
    if (!reached.exists) throw new PathError('absent', `There is no ${spellHidden(path)} in the folder.`)
    const found = await stat(reached.path)
    if (!found.isFile()) throw new ToolError(`${spellHidden(path)} is no file.`)
    if (found.size > maxBytes)
      throw new ToolError(`The file has ${found.size} bytes, and at most ${maxBytes} are read (option "maxFileBytes").`)
    return reached
  }

  /** The same, with what is in it. */
  async open(given: string): Promise<{ readonly path: string; readonly text: string }> {
    const { path } = await this.file(given)
    return { path, text: await readRegularText(path) }
  }

  /** The language server for a file. */
  clientFor(path: string): LanguageClient {
    const language = languageOf(this.languages, path)
    if (language === undefined) {
      const known = this.languages.flatMap(({ extensions }) => extensions).join(' ')
      throw new ToolError(
        `No language server here is for that file (${known === '' ? 'none was found' : `there are some for ${known}`}). The option "languages" names others.`,
      )
    }
    return this.clientOf(language)
  }

  /** The one for a language, started when it is first wanted and again when it ended. */
  clientOf(language: Language): LanguageClient {
    const known = this.#clients.get(language)
    if (known !== undefined && !known.ended) return known
    // A call that was under way must not leave a process behind.
    if (this.#closed) throw new ToolError('This server is closed.')
    const client = new LanguageClient(language, this.folders, this.settings)
    client.diagnostics.onChange(this.#changed)
    this.#clients.set(language, client)
    return client
  }

  /** All that run. */
  clients(): readonly LanguageClient[] {
    return [...this.#clients.values()].filter((client) => !client.ended)
  }

  /** Places as a model reads them, with their lines: `src/a.ts:3:7  export const a`; undefined for what is elsewhere. */
  async places(locations: readonly unknown[]): Promise<readonly (string | undefined)[]> {
    const shown: (string | undefined)[] = []
    // One file at a time is kept: places come file by file.
    let last: { readonly uri: string; readonly path: string | undefined; readonly lines: readonly string[] } | undefined
    for (const location of locations) {
      const { uri, range } = toObject(location)
      const file = toText(uri)
      if (last?.uri !== file) {
        const path = await this.inFolder(file)
        const content =
          path === undefined
            ? ''
            : await this.open(path).then(
                ({ text: found }) => found,
                () => '',
              )
        last = { uri: file, path, lines: toLines(content) }
      }
      const { line, character } = readRange(range).start
      const words = (last.lines[line] ?? '').trim().slice(0, 200)
      shown.push(last.path === undefined ? undefined : `${this.name(last.path)}:${line + 1}:${character + 1}  ${words}`)
    }
    return shown
  }

  /** The path of a URI that a language server named, links resolved, if it is in the folders and may be read. */
  async inFolder(uri: string): Promise<string | undefined> {
    const path = toPath(uri)
    if (path === undefined) return undefined
    const reached = await this.#confinement.reach(path, undefined).catch(() => undefined)
    return reached?.relative === '' ? undefined : reached?.path
  }

  /** From the folder where there is one, else whole: what can be given to a tool again. */
  name(path: string): string {
    const [folder = '', ...more] = this.folders
    return (more.length === 0 ? relative(folder, path) : path).replaceAll(sep, '/')
  }

  /** A path of the operator's, from the first folder. */
  fromFolder(path: string): string {
    return resolve(this.folders[0] ?? '', path)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#clients.values()].map((client) => client.close().catch(() => {})))
    this.#clients.clear()
  }
}

/** What was found, bounded; names and messages of a project are content of whoever wrote it. */
export function answer({ settings }: EditorHost, shown: string, start = 0): ReturnType<typeof result> {
  const part = slice(toPlainText(shown), start, settings.maxCharacters)
  const more = part.next === undefined ? '' : `\n[There is more: ask again with start ${part.next}.]`
  return result({ content: [text(`${part.text === '' ? 'Nothing.' : part.text}${more}`)], _meta: UNTRUSTED })
}

/** The same for a resource, which is read at once. */
export function bounded({ settings }: EditorHost, shown: string): string {
  const part = slice(toPlainText(shown), 0, settings.maxCharacters)
  return part.next === undefined ? part.text : `${part.text}\n[${part.length - part.end} characters more.]`
}
