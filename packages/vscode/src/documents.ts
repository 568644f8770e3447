/** Resources and results as virtual documents: text that nobody wrote to the disk, and that can do nothing. */

import * as vscode from 'vscode'
import { toPlain } from './plain.ts'

export const SCHEME = 'portico'
const MAX_KEPT = 50

export class Documents implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>()
  readonly #changed = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.#changed.event

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? ''
  }

  /** Shows a text in an editor, as plain text whatever its name would make of it. */
  async showText(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name.replace(/[^\w.:-]+/g, '-').slice(0, 120)}.txt` })
    const key = uri.toString()
    this.#texts.delete(key)
    this.#texts.set(key, toPlain(text))
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MAX_KEPT) break
      this.#texts.delete(oldest)
    }
    this.#changed.fire(uri)
    const document = await vscode.workspace.openTextDocument(uri)
    await vscode.languages.setTextDocumentLanguage(document, 'plaintext')
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside })
  }
}

/** The texts of content blocks or of a resource's contents; what is no text is named. */
export function toText(blocks: unknown): string {
  const list: unknown[] = Array.isArray(blocks) ? blocks : [blocks]
  return list
    .map((block) => {
      const { text, resource, type, mimeType = '', uri = '' } = (block ?? {}) as { [name: string]: unknown }
      const inner = (resource as { text?: unknown } | undefined)?.text
      if (typeof text === 'string') return toPlain(text)
      return typeof inner === 'string' ? toPlain(inner) : toPlain(`[${type ?? 'data'} ${mimeType} ${uri}]`)
    })
    .join('\n')
}
