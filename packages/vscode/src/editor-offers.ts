/** What is open in this editor, for the host: files below the folder, their text, diagnostics, what is selected, secrets. */

import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { EditorEvents, EditorMethods } from 'portico/editor-protocol'
import * as vscode from 'vscode'
import { toLabel } from './plain.ts'

type What = EditorEvents['editor/changed']['what'][number]

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const
const CHANGE_MS = 300
const SECRET = 'portico:'

export class EditorOffers {
  readonly #folder: string
  readonly #secrets: vscode.SecretStorage
  readonly #stops: vscode.Disposable[] = []

  constructor(folder: string, secrets: vscode.SecretStorage) {
    this.#folder = folder
    this.#secrets = secrets
  }

  async answer(method: keyof EditorMethods, params: object): Promise<object> {
    switch (method) {
      case 'editor/files':
        return {
          files: this.#open().map(({ path, document: { languageId, isDirty } }) => ({
            path,
            language: languageId,
            modified: isDirty,
          })),
        }
      case 'editor/text':
        return this.#text((params as EditorMethods['editor/text']['params']).path)
      case 'editor/diagnostics':
        return { diagnostics: this.#diagnostics() }
      case 'editor/selection':
        return { selection: this.#selection() }
      case 'editor/input':
        return askInput(params as EditorMethods['editor/input']['params'])
      case 'editor/secret':
        return {
          value: (await this.#secrets.get(SECRET + (params as EditorMethods['editor/secret']['params']).name)) ?? null,
        }
      case 'editor/keep-secret':
        return this.#keep(params as EditorMethods['editor/keep-secret']['params'])
      case 'editor/page':
        return openPage((params as EditorMethods['editor/page']['params']).url)
      default:
        throw new Error('The editor does not have this')
    }
  }

  watch(changed: (what: readonly What[]) => void): void {
    const waiting = new Set<What>()
    const note = (what: What): void => {
      if (waiting.size === 0) {
        setTimeout(() => {
          changed([...waiting])
          waiting.clear()
        }, CHANGE_MS)
      }
      waiting.add(what)
    }
    this.#stops.push(
      vscode.workspace.onDidOpenTextDocument(() => note('files')),
      vscode.workspace.onDidCloseTextDocument(() => note('files')),
      vscode.languages.onDidChangeDiagnostics(() => note('diagnostics')),
      vscode.window.onDidChangeTextEditorSelection(() => note('selection')),
    )
  }

  dispose(): void {
    for (const stop of this.#stops.splice(0)) stop.dispose()
  }

  #open(): { readonly path: string; readonly document: vscode.TextDocument }[] {
    return vscode.workspace.textDocuments.flatMap((document) => {
      const path = this.#below(document.uri)
      return path === undefined ? [] : [{ path, document }]
    })
  }

  /** The path below the folder, or undefined for what is elsewhere. */
  #below({ scheme, fsPath }: vscode.Uri): string | undefined {
    // Where links lead counts, not where they are.
    const path = relative(realPath(this.#folder), realPath(fsPath))
    return scheme !== 'file' || path === '' || path.startsWith('..') || /^[a-z]:/i.test(path)
      ? undefined
      : path.split(sep).join('/')
  }

  #text(path: string): object {
    const found = this.#open().find((one) => one.path === path)
    if (found === undefined) throw new Error('It is not open')
    return { text: found.document.getText() }
  }

  #diagnostics(): object[] {
    return vscode.languages.getDiagnostics().flatMap(([uri, list]) => {
      const path = this.#below(uri)
      if (path === undefined) return []
      return list.map(({ range, severity, message, source }) => ({
        path,
        line: range.start.line + 1,
        column: range.start.character + 1,
        severity: SEVERITIES[severity] ?? 'information',
        message,
        ...(source !== undefined && { source }),
      }))
    })
  }

  #selection(): object | null {
    const editor = vscode.window.activeTextEditor
    const path = editor === undefined ? undefined : this.#below(editor.document.uri)
    if (editor === undefined || path === undefined) return null
    const { selection, document } = editor
    const range = selection.isEmpty ? document.lineAt(selection.start.line).range : selection
    return { path, line: range.start.line + 1, endLine: range.end.line + 1, text: document.getText(range) }
  }

  async #keep({ name, value }: EditorMethods['editor/keep-secret']['params']): Promise<object> {
    if (value === null) await this.#secrets.delete(SECRET + name)
    else await this.#secrets.store(SECRET + name, value)
    return {}
  }
}

async function askInput({ description, password, options }: EditorMethods['editor/input']['params']): Promise<object> {
  const prompt = toLabel(description, 200)
  const value =
    options === undefined
      ? await vscode.window.showInputBox({ prompt, password, ignoreFocusOut: true })
      : await vscode.window.showQuickPick([...options], { placeHolder: prompt, ignoreFocusOut: true })
  return { value: value ?? null }
}

async function openPage(url: string): Promise<object> {
  const uri = vscode.Uri.parse(url, true)
  // Whatever else an address can start is not a page.
  const opened = /^https?$/.test(uri.scheme) && (await vscode.env.openExternal(uri))
  return { opened }
}

/** A file that is not on the disk yet is where its name says. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
