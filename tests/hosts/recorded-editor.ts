/// <reference types="vscode" />
/**
 * A stand-in for VS Code, held to its published types: what the extension uses is there and recorded, a person answers from a
 * script, and whatever else it reaches for is an error. The editor itself cannot be run without its own download.
 */

import { EventEmitter as NodeEmitter } from 'node:events'
import type * as vscode from 'vscode'

type Api = typeof vscode

/** What the extension may use, in the words of the published types. */
interface RecordedApi {
  readonly version: Api['version']
  readonly EventEmitter: unknown
  readonly TreeItem: unknown
  readonly ThemeIcon: unknown
  readonly Uri: unknown
  readonly TreeItemCollapsibleState: Record<keyof Api['TreeItemCollapsibleState'], number>
  readonly StatusBarAlignment: Record<keyof Api['StatusBarAlignment'], number>
  readonly ProgressLocation: Record<keyof Api['ProgressLocation'], number>
  readonly ViewColumn: Pick<Record<keyof Api['ViewColumn'], number>, 'Beside' | 'Active'>
  readonly window: Partial<{ [Name in keyof Api['window']]: Api['window'][Name] }>
  readonly workspace: Partial<{ [Name in keyof Api['workspace']]: Api['workspace'][Name] }>
  readonly languages: Partial<{ [Name in keyof Api['languages']]: Api['languages'][Name] }>
  readonly commands: Partial<{ [Name in keyof Api['commands']]: Api['commands'][Name] }>
  readonly env: Partial<{ [Name in keyof Api['env']]: Api['env'][Name] }>
}

/** What a person is shown, and how they answer: the button, the text, or the label of what they pick. */
export interface Shown {
  readonly kind: 'dialog' | 'notice' | 'input' | 'pick' | 'document'
  readonly title: string
  readonly detail?: string
  readonly choices?: readonly string[]
}

export interface EditorState {
  trusted: boolean
  folder: string
  settings: { readonly [name: string]: unknown }
  /** Undefined leaves it. */
  answer(shown: Shown): string | undefined
}

export interface RecordedEditor {
  readonly api: RecordedApi
  readonly context: Pick<vscode.ExtensionContext, 'subscriptions' | 'secrets' | 'extension'>
  readonly shown: Shown[]
  readonly commands: Map<string, (argument?: unknown) => Promise<void>>
  readonly secrets: Map<string, string>
  readonly inserted: string[]
  readonly pages: string[]
  output: string
  tree: vscode.TreeDataProvider<unknown> | undefined
  status: { text: string }
}

class Emitter<T> {
  readonly #node = new NodeEmitter()
  readonly event = (listener: (value: T) => unknown) => {
    this.#node.on('event', listener)
    return { dispose: () => void this.#node.off('event', listener) }
  }
  fire(value: T): void {
    this.#node.emit('event', value)
  }
  dispose(): void {}
}

class TreeItem {
  readonly label: string
  readonly collapsibleState: number
  constructor(label: string, collapsibleState: number) {
    this.label = label
    this.collapsibleState = collapsibleState
  }
}

class ThemeIcon {
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}

class Uri {
  readonly scheme: string
  readonly path: string
  readonly fsPath: string
  readonly #text: string
  constructor(scheme: string, path: string, text: string) {
    this.scheme = scheme
    this.path = path
    this.fsPath = path
    this.#text = text
  }
  static from({ scheme, path = '' }: { scheme: string; path?: string }): Uri {
    return new Uri(scheme, path, `${scheme}:${path}`)
  }
  static parse(text: string): Uri {
    const { protocol, pathname } = new URL(text)
    return new Uri(protocol.slice(0, -1), pathname, text)
  }
  toString(): string {
    return this.#text
  }
}

const nothing = (): vscode.Disposable => ({ dispose: () => {} })

export function recordEditor(state: EditorState): RecordedEditor {
  const editor: Omit<RecordedEditor, 'api' | 'context'> = {
    shown: [],
    commands: new Map(),
    secrets: new Map(),
    inserted: [],
    pages: [],
    output: '',
    tree: undefined,
    status: { text: '' },
  }
  const api: RecordedApi = {
    version: '1.85.0',
    EventEmitter: Emitter,
    TreeItem,
    ThemeIcon,
    Uri,
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    StatusBarAlignment: { Left: 1, Right: 2 },
    ProgressLocation: { SourceControl: 1, Window: 10, Notification: 15 },
    ViewColumn: { Active: -1, Beside: -2 },
    window: strict(windowOf(editor, state)),
    workspace: strict(workspaceOf(editor, state)),
    languages: strict<Partial<Api['languages']>>({
      getDiagnostics: (() => []) as unknown as Api['languages']['getDiagnostics'],
      onDidChangeDiagnostics: nothing,
      setTextDocumentLanguage: async (document) => document,
    }),
    commands: strict<Partial<Api['commands']>>({
      registerCommand: (name, run) => {
        editor.commands.set(name, run)
        return nothing()
      },
    }),
    env: strict<Partial<Api['env']>>({
      openExternal: async (page) => {
        editor.pages.push(page.toString())
        return true
      },
    }),
  }
  const secrets: vscode.SecretStorage = {
    get: async (key) => editor.secrets.get(key),
    store: async (key, value) => void editor.secrets.set(key, value),
    delete: async (key) => void editor.secrets.delete(key),
    onDidChange: nothing,
  }
  // Of the extension itself only its package is looked at.
  const extension = { packageJSON: { version: '0.1.0' } } as vscode.Extension<unknown>
  return Object.assign(editor, { api: strict(api), context: { subscriptions: [], secrets, extension } })
}

function windowOf(editor: Omit<RecordedEditor, 'api' | 'context'>, state: EditorState): RecordedApi['window'] {
  const ask = async (shown: Shown): Promise<string | undefined> => {
    editor.shown.push(shown)
    return state.answer(shown)
  }
  // biome-ignore lint/suspicious/noExplicitAny: one function in the place of each overload
  const message = async (title: string, ...rest: any[]): Promise<any> => {
    const [options] = rest
    const isModal = typeof options === 'object' && options !== null && options.modal === true
    const choices = rest.filter((one) => typeof one === 'string')
    return ask({ kind: isModal ? 'dialog' : 'notice', title, detail: options?.detail, choices })
  }
  return {
    showWarningMessage: message,
    showInformationMessage: message,
    showErrorMessage: message,
    showInputBox: async (options) => {
      const typed = await ask({
        kind: 'input',
        title: options?.title ?? '',
        detail: options?.prompt,
        choices: [options?.value ?? ''],
      })
      const problem = typed === undefined ? undefined : await options?.validateInput?.(typed)
      if (problem !== undefined && problem !== null) throw new Error(`the input was refused: ${problem}`)
      return typed
    },
    // biome-ignore lint/suspicious/noExplicitAny: the same
    showQuickPick: async (items: any, options?: any): Promise<any> => {
      const list = (await items) as readonly (string | { readonly label: string })[]
      const label = (one: (typeof list)[number]): string => (typeof one === 'string' ? one : one.label)
      const picked = await ask({
        kind: 'pick',
        title: options?.title ?? options?.placeHolder ?? '',
        detail: options?.placeHolder,
        choices: list.map(label),
      })
      return list.find((one) => label(one) === picked)
    },
    // biome-ignore lint/suspicious/noExplicitAny: the same
    showTextDocument: async (document: any): Promise<any> => {
      editor.shown.push({ kind: 'document', title: String(document.uri), detail: document.text })
    },
    withProgress: (_options, task) =>
      task({ report: () => {} }, { isCancellationRequested: false, onCancellationRequested: nothing }),
    // The members that are used.
    createOutputChannel: ((_name: string) => ({
      append: (text: string) => {
        editor.output += text
      },
      appendLine: (text: string) => {
        editor.output += `${text}\n`
      },
      show: () => {},
      dispose: () => {},
    })) as unknown as Api['window']['createOutputChannel'],
    createStatusBarItem: (() =>
      Object.assign(editor.status, {
        show: () => {},
        dispose: () => {},
      })) as unknown as Api['window']['createStatusBarItem'],
    registerTreeDataProvider: (_id, provider) => {
      editor.tree = provider as vscode.TreeDataProvider<unknown>
      return nothing()
    },
    onDidChangeTextEditorSelection: nothing,
    get activeTextEditor() {
      const edit: Pick<vscode.TextEditorEdit, 'insert'> = { insert: (_at, text) => void editor.inserted.push(text) }
      const document = {
        uri: new Uri('file', `${state.folder}/draft.txt`, ''),
        getText: () => 'first line',
        lineAt: () => ({ range: {} }),
      }
      const place = { line: 0, character: 0 }
      return {
        document,
        selection: { active: place, start: place, end: place, isEmpty: false },
        edit: async (change: (edit: Pick<vscode.TextEditorEdit, 'insert'>) => void) => change(edit),
      } as unknown as vscode.TextEditor
    },
  }
}

function workspaceOf(_editor: Omit<RecordedEditor, 'api' | 'context'>, state: EditorState): RecordedApi['workspace'] {
  let provider: vscode.TextDocumentContentProvider | undefined
  const draft = {
    uri: new Uri('file', `${state.folder}/draft.txt`, ''),
    languageId: 'plaintext',
    isDirty: true,
    getText: () => 'first line',
  }
  return {
    get isTrusted() {
      return state.trusted
    },
    get workspaceFolders() {
      return [{ uri: new Uri('file', state.folder, '') as unknown as vscode.Uri, name: 'x', index: 0 }]
    },
    get textDocuments() {
      return [draft as unknown as vscode.TextDocument]
    },
    getConfiguration: (() => ({
      get: (name: string, fallback: unknown) => state.settings[name] ?? fallback,
    })) as unknown as Api['workspace']['getConfiguration'],
    registerTextDocumentContentProvider: (_scheme, given) => {
      provider = given
      return nothing()
    },
    openTextDocument: (async (uri: vscode.Uri) => {
      const text = await provider?.provideTextDocumentContent(uri, {} as vscode.CancellationToken)
      return { uri, text }
    }) as unknown as Api['workspace']['openTextDocument'],
    onDidOpenTextDocument: nothing,
    onDidCloseTextDocument: nothing,
  }
}

/** Whoever reaches for a member that is not there is told so, instead of getting `undefined`. */
function strict<T extends object>(part: T): T {
  return new Proxy(part, {
    get(target, name, receiver) {
      if (typeof name === 'string' && name !== 'then' && !name.startsWith('__') && !(name in target))
        throw new Error(`the recorded editor has no ${name}`)
      return Reflect.get(target, name, receiver)
    },
  })
}
