/** What the recorded editor was shown, drawn: the tree with its states, the status bar, and a dialog. Not a picture of VS Code itself. */

import type * as vscode from 'vscode'
import { Drawing, wrap } from './drawing.ts'
import type { RecordedEditor, Shown } from './recorded-editor.ts'

const ROW = 22
const SIDE = 330

interface Row {
  readonly depth: number
  readonly label: string
  readonly description: string
}

/** The rows of the tree, servers with what is below them. */
export async function rowsOf({ tree }: RecordedEditor): Promise<Row[]> {
  const rows: Row[] = []
  const add = async (node: unknown, depth: number): Promise<void> => {
    const item = (await tree?.getTreeItem(node)) as vscode.TreeItem
    rows.push({ depth, label: String(item.label), description: String(item.description ?? '') })
    if (depth < 1) for (const child of (await tree?.getChildren(node)) ?? []) await add(child, depth + 1)
  }
  for (const node of (await tree?.getChildren()) ?? []) await add(node, 0)
  return rows
}

export function drawEditor(rows: readonly Row[], status: string, dialog: Shown): string {
  const drawing = new Drawing(900)
  const shown = rows.slice(0, 18)
  drawing.text(16, 28, 'PORTICO: SERVERS', { size: 12, bold: true, fill: '#9aa0ac' })
  for (const [at, { depth, label, description }] of shown.entries()) {
    const [x, y] = [20 + depth * 20, 54 + at * ROW]
    drawing.text(x, y, cut(label, 24), { size: 13 })
    drawing.text(x + Math.min(label.length, 24) * 7.2 + 12, y, cut(description, 18), { size: 12, fill: '#9aa0ac' })
  }
  const lines = wrap(dialog.detail ?? '', 62)
  drawing.box([SIDE, 30], [550, 110 + lines.length * 18], '#252932')
  drawing.text(SIDE + 20, 62, dialog.title, { size: 16, bold: true })
  for (const [at, line] of lines.entries()) drawing.text(SIDE + 20, 90 + at * 18, line, { size: 13, mono: true })
  drawing.buttons(SIDE + 20, 100 + lines.length * 18, dialog.choices ?? [])
  const bottom = Math.max(54 + shown.length * ROW, 170 + lines.length * 18)
  drawing.box([0, bottom], [900, 26], '#2b5fb0')
  drawing.text(16, bottom + 18, status, { size: 12, fill: '#ffffff' })
  return drawing.toSvg(bottom + 26)
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
