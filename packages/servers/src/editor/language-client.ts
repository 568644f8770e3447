/** A language server that knows a folder: files are shown to it as they are on disk, and what it finds wrong is kept. */

import { readFile, stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { ToolError } from '@portico/sdk/server'
import { toList, toObject, toText } from '../vendor/values.ts'
import { LanguageProcess, type ProcessOptions } from './language-process.ts'
import { type Language, languageIdOf } from './languages.ts'

type Json = ReturnType<typeof toObject>

export interface ClientLimits extends Pick<ProcessOptions, 'timeoutMs' | 'maxMessageBytes' | 'maxMemoryBytes'> {
  /** Bytes of one file that is shown to a language server. */
  readonly maxFileBytes: number
  /** How long to wait for what it finds wrong. */
  readonly settleMs: number
}

interface Shown {
  version: number
  text: string
}

/** Files that are shown at a time; the ones longest unused are taken away. */
const MAX_SHOWN = 100
const MAX_DIAGNOSED = 2_000
const MAX_DIAGNOSTICS = 500

const CAPABILITIES = {
  textDocument: {
    synchronization: {},
    publishDiagnostics: { relatedInformation: false },
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
  readonly #language: Language
  readonly #folder: string
  readonly #limits: ClientLimits
  readonly #process: LanguageProcess
  readonly #shown = new Map<string, Shown>()
  readonly #diagnostics = new Map<string, readonly Json[]>()
  readonly #listeners = new Set<(uri: string) => void>()
  readonly #ready: Promise<void>

  constructor(language: Language, folder: string, limits: ClientLimits) {
    this.#language = language
    this.#folder = folder
    this.#limits = limits
    const onNotice = (method: string, params: unknown): void => this.#onNotice(method, toObject(params))
    this.#process = new LanguageProcess({ command: language.command, cwd: folder, ...limits, onNotice })
    this.#ready = this.#initialize()
    this.#ready.catch(() => {})
  }

  get ended(): boolean {
    return this.#process.ended
  }

  /** Asks about a file, as it is on disk at this moment. */
  async ask(method: string, path: string, params: object, signal: AbortSignal): Promise<unknown> {
    const uri = await this.show(path)
    return this.#process.request(method, { textDocument: { uri }, ...params }, signal)
  }

  /** Asks about the folder. */
  async askAll(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    await this.#ready
    return this.#process.request(method, params, signal)
  }

  /** Shows a file as it is on disk, if it is not what was shown before; gives its URI. */
  async show(path: string): Promise<string> {
    await this.#ready
    const uri = pathToFileURL(path).href
    const text = await this.#textOf(path)
    const known = this.#shown.get(uri)
    if (known?.text === text) return uri
    const version = (known?.version ?? 0) + 1
    this.#shown.delete(uri)
    this.#shown.set(uri, { version, text })
    if (known === undefined) {
      const languageId = languageIdOf(this.#language, path)
      this.#process.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } })
      this.#hideOldest()
    } else {
      this.#process.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] })
    }
    // What was wrong with the file as it was says nothing about it as it is.
    this.#diagnostics.delete(uri)
    return uri
  }

  /** What is wrong with a file; undefined where the server has said nothing of it for a while. */
  async diagnose(path: string, signal: AbortSignal): Promise<readonly Json[] | undefined> {
    const uri = await this.show(path)
    if (!this.#diagnostics.has(uri)) await this.#heard(uri, signal)
    return this.#diagnostics.get(uri)
  }

  /** Everything that the server has found wrong so far, by URI. */
  diagnosed(): ReadonlyMap<string, readonly Json[]> {
    return this.#diagnostics
  }

  onDiagnostics(listener: (uri: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): Promise<void> {
    return this.#process.close()
  }

  async #initialize(): Promise<void> {
    const rootUri = pathToFileURL(this.#folder).href
    const introduced = await this.#process.request('initialize', {
      processId: process.pid,
      clientInfo: { name: 'portico-editor', version: '0.1.0' },
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: 'folder' }],
      capabilities: CAPABILITIES,
    })
    if (typeof toObject(introduced).capabilities !== 'object') {
      void this.#process.close()
      throw new ToolError(`"${this.#language.command[0]}" is no language server: it did not say what it can do.`)
    }
    this.#process.notify('initialized', {})
  }

  async #textOf(path: string): Promise<string> {
    const { maxFileBytes } = this.#limits
    const { size } = await stat(path)
    if (size > maxFileBytes)
      throw new ToolError(`The file has ${size} bytes; the option "maxFileBytes" allows ${maxFileBytes}`)
    return readFile(path, 'utf8')
  }

  #heard(uri: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        stop()
        resolve()
      }
      const stop = this.onDiagnostics((changed) => changed === uri && done())
      const timer = setTimeout(done, this.#limits.settleMs)
      signal.addEventListener('abort', done, { once: true })
      if (this.#process.ended) done()
    })
  }

  #onNotice(method: string, { uri, diagnostics }: Json): void {
    if (method !== 'textDocument/publishDiagnostics') return
    const file = toText(uri)
    const found = toList(diagnostics).slice(0, MAX_DIAGNOSTICS)
    if (this.#diagnostics.size >= MAX_DIAGNOSED && !this.#diagnostics.has(file)) return
    this.#diagnostics.set(file, found)
    for (const listener of [...this.#listeners]) listener(file)
  }

  #hideOldest(): void {
    if (this.#shown.size <= MAX_SHOWN) return
    const [oldest] = this.#shown.keys()
    if (oldest === undefined) return
    this.#shown.delete(oldest)
    this.#process.notify('textDocument/didClose', { textDocument: { uri: oldest } })
  }
}
