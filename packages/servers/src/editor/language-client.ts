/** A language server that knows folders: files are shown to it as they are on disk, and what it finds wrong is kept. */

import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import { ToolError } from '@portico/sdk/server'
import { readRegularText } from '../machine/regular-file.ts'
import { toList, toObject, toText } from '../vendor/values.ts'
import { DiagnosticStore } from './diagnostic-store.ts'
import { sameUri, toUri } from './file-uri.ts'
import { cancelled, LanguageProcess, type ProcessOptions } from './language-process.ts'
import { type Language, languageIdOf } from './languages.ts'
import { askCompiler, hasCompiler, typescriptOptions } from './typescript.ts'

type Json = ReturnType<typeof toObject>

export interface ClientSettings extends Pick<ProcessOptions, 'timeoutMs' | 'maxMessageBytes' | 'maxMemoryBytes'> {
  /** How long to wait for what it finds wrong. */
  readonly settleMs: number
  /** Lets it run what the project brings. */
  readonly allowProjectCode: boolean
}

interface Shown {
  readonly path: string
  readonly version: number
  readonly text: string
  /** What the file was like on disk. */
  readonly stamp: string
}

/** Files that are shown at a time; the ones longest unused are taken away. */
const MAX_SHOWN = 100

const CAPABILITIES = {
  textDocument: {
    synchronization: {},
    publishDiagnostics: { relatedInformation: false, versionSupport: true },
    diagnostic: { dynamicRegistration: false },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    definition: { linkSupport: false },
    references: {},
    hover: { contentFormat: ['plaintext', 'markdown'] },
    rename: { prepareSupport: false },
    formatting: {},
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix', 'refactor', 'source'] } },
      resolveSupport: { properties: ['edit'] },
      dataSupport: true,
    },
  },
  workspace: { symbol: {}, workspaceEdit: { documentChanges: true }, workspaceFolders: true, configuration: true },
  general: { positionEncodings: ['utf-16'] },
}

export class LanguageClient {
  readonly language: Language
  readonly diagnostics = new DiagnosticStore()
  readonly #folders: readonly string[]
  readonly #settings: ClientSettings
  readonly #process: LanguageProcess
  readonly #shown = new Map<string, Shown>()
  readonly #ready: Promise<void>
  #capabilities: Json = {}

  constructor(language: Language, folders: readonly string[], settings: ClientSettings) {
    // Before it is started: what is refused does not run.
    const options = typescriptOptions(language, settings.allowProjectCode)
    this.language = language
    this.#folders = folders
    this.#settings = settings
    this.#process = new LanguageProcess({
      command: language.command,
      cwd: folders[0] ?? '',
      ...settings,
      onNotice: (method, params) => this.#onNotice(method, toObject(params)),
    })
    this.#ready = this.#initialize(options)
    // One that did not start is of no use to the next call, which then starts another.
    this.#ready.catch(() => this.#process.end('it did not start'))
  }

  get ended(): boolean {
    return this.#process.ended
  }

  /** The files that are open in it. */
  get files(): readonly string[] {
    return [...this.#shown.values()].map(({ path }) => path)
  }

  /** Asks about a file, as it is on disk at this moment. */
  async ask(method: string, path: string, params: object, signal: AbortSignal): Promise<unknown> {
    const uri = await this.show(path, signal)
    return this.#process.request(method, { textDocument: { uri }, ...params }, signal)
  }

  /** Asks about the folders. */
  async askAll(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    await this.#started(signal)
    await this.#refresh()
    return this.#process.request(method, params, signal)
  }

  /** Shows a file as it is on disk, if it is not what was shown before; gives its URI. */
  async show(path: string, signal: AbortSignal): Promise<string> {
    await this.#started(signal)
    await this.#refresh()
    const uri = toUri(path)
    await this.#present(uri, path)
    return uri
  }

  /** What is wrong with a file; undefined where the server has said nothing of it for a while. */
  async diagnose(path: string, signal: AbortSignal): Promise<readonly Json[] | undefined> {
    const uri = await this.show(path, signal)
    const asked = await this.#askWrong(uri, signal)
    if (asked !== undefined) this.diagnostics.keep(uri, asked)
    else if (this.diagnostics.of(uri) === undefined && !this.#process.ended)
      await this.diagnostics.heard(uri, signal, this.#settings.settleMs)
    return this.diagnostics.of(uri)
  }

  close(): Promise<void> {
    return this.#process.close()
  }

  /** It starts for all who wait; whoever gives up waits no longer. */
  #started(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(cancelled())
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      void this.#ready.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    })
  }

  async #initialize(options: object): Promise<void> {
    const folders = this.#folders.map((folder) => ({ uri: toUri(folder), name: basename(folder) }))
    const introduced = await this.#process.request('initialize', {
      processId: process.pid,
      clientInfo: { name: 'portico-editor', version: '0.1.0' },
      rootUri: folders[0]?.uri ?? null,
      workspaceFolders: folders,
      capabilities: CAPABILITIES,
      ...options,
    })
    const { capabilities } = toObject(introduced)
    if (typeof capabilities !== 'object')
      throw new ToolError(`"${this.language.command[0]}" is no language server: it did not say what it can do.`)
    this.#capabilities = toObject(capabilities)
    this.#process.notify('initialized', {})
  }

  /** What is wrong, of a server that can be asked; others tell it when they like. */
  async #askWrong(uri: string, signal: AbortSignal): Promise<readonly Json[] | undefined> {
    if (hasCompiler(this.#capabilities))
      return askCompiler((params) => this.#process.request('workspace/executeCommand', params, signal), uri)
    if (this.#capabilities.diagnosticProvider === undefined) return undefined
    const found = await this.#process.request('textDocument/diagnostic', { textDocument: { uri } }, signal)
    return toList(toObject(found).items)
  }

  /** A server does not look at the disk for what is open in it: whatever others changed there is shown anew. */
  async #refresh(): Promise<void> {
    await Promise.all(
      [...this.#shown].map(async ([uri, { path, stamp }]) => {
        const now = await stampOf(path)
        if (now === undefined) this.#hide(uri)
        else if (now !== stamp) await this.#present(uri, path).catch(() => this.#hide(uri))
      }),
    )
  }

  async #present(uri: string, path: string): Promise<void> {
    const stamp = (await stampOf(path)) ?? ''
    const text = await readRegularText(path)
    const known = this.#shown.get(uri)
    const isNew = known?.text !== text
    const version = (known?.version ?? 0) + (isNew ? 1 : 0)
    // The last one used is the last one to be taken away.
    this.#shown.delete(uri)
    this.#shown.set(uri, { path, version, text, stamp })
    if (!isNew) return
    // What was wrong with the file as it was says nothing about it as it is.
    this.diagnostics.forget(uri)
    if (known !== undefined) {
      this.#process.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
      return
    }
    const languageId = languageIdOf(this.language, path)
    this.#process.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } })
    const [oldest] = this.#shown.keys()
    if (this.#shown.size > MAX_SHOWN && oldest !== undefined) this.#hide(oldest)
  }

  #hide(uri: string): void {
    if (this.#shown.delete(uri)) this.#process.notify('textDocument/didClose', { textDocument: { uri } })
    this.diagnostics.forget(uri)
  }

  #onNotice(method: string, { uri, diagnostics, version }: Json): void {
    if (method !== 'textDocument/publishDiagnostics') return
    const file = sameUri(toText(uri))
    const { version: shown = 0 } = this.#shown.get(file) ?? {}
    // It speaks of the file as it was before.
    if (typeof version === 'number' && version < shown) return
    this.diagnostics.keep(file, toList(diagnostics))
  }
}

/** Changes whenever the file does; undefined for what is no file any more. */
async function stampOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isFile() === true ? `${found.mtimeMs} ${found.size} ${found.ino}` : undefined
}
