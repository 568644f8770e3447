/** The tree of servers: each with its state, below it what it offers, and the tasks. */

import type { ItemRow, ServerRow } from 'portico/editor-protocol'
import * as vscode from 'vscode'
import type { HostProcess } from './host.ts'
import { toLabel, toPlain } from './plain.ts'

export type Node =
  | { readonly kind: 'server'; readonly server: ServerRow }
  | { readonly kind: 'item'; readonly item: ItemRow }
  | { readonly kind: 'task'; readonly label: string }

const ICONS: { readonly [state: string]: string } = {
  ready: 'pass-filled',
  degraded: 'warning',
  starting: 'sync',
  failed: 'error',
  quarantined: 'shield',
  'needs-sign-in': 'account',
}
const ITEM_ICONS = { tool: 'tools', resource: 'file', template: 'file-code', prompt: 'comment' } as const
const ITEM_COMMANDS = {
  tool: 'portico.call',
  resource: 'portico.read',
  template: 'portico.read',
  prompt: 'portico.prompt',
} as const

export class ServerTree implements vscode.TreeDataProvider<Node> {
  readonly #host: HostProcess
  readonly #changed = new vscode.EventEmitter<undefined>()
  readonly onDidChangeTreeData = this.#changed.event

  constructor(host: HostProcess) {
    this.#host = host
    host.onChanged(() => this.#changed.fire(undefined))
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      const servers = [...this.#host.servers.values()].map((server) => ({ kind: 'server', server }) as const)
      return [...servers, ...[...this.#host.tasks.keys()].map((label) => ({ kind: 'task', label }) as const)]
    }
    if (node.kind !== 'server') return []
    return this.#host.items
      .filter(({ server }) => server === node.server.name)
      .map((item) => ({ kind: 'item', item }) as const)
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === 'server') return toServerItem(node.server)
    if (node.kind === 'item') return toItemItem(node.item)
    return this.#toTaskItem(node.label)
  }

  #toTaskItem(label: string): vscode.TreeItem {
    const task = this.#host.tasks.get(label)
    const item = new vscode.TreeItem(toLabel(`${task?.tool ?? ''} ${label}`), vscode.TreeItemCollapsibleState.None)
    item.description = toLabel(`${task?.status ?? ''} ${task?.message ?? ''}`)
    item.iconPath = new vscode.ThemeIcon('clock')
    item.contextValue = 'task'
    item.command = { command: 'portico.tasks', title: 'Tasks' }
    return item
  }
}

function toServerItem({
  name,
  state,
  waits,
  reason,
  remedy,
  tools,
  resources,
  prompts,
  shown,
}: ServerRow): vscode.TreeItem {
  const item = new vscode.TreeItem(toLabel(name), vscode.TreeItemCollapsibleState.Collapsed)
  item.id = `server:${name}`
  item.description = waits === true ? 'waits for permission' : state
  // A text, not Markdown: nothing in it is a link.
  item.tooltip = toPlain(
    [shown, `${tools} tools, ${resources} resources, ${prompts} prompts`, reason, remedy].filter(Boolean).join('\n'),
  )
  item.iconPath = new vscode.ThemeIcon(ICONS[state] ?? 'circle-outline')
  item.contextValue = 'server'
  return item
}

function toItemItem({ kind, name, definition, held }: ItemRow): vscode.TreeItem {
  const item = new vscode.TreeItem(toLabel(name), vscode.TreeItemCollapsibleState.None)
  item.description = held === true ? 'changed' : toLabel(String(definition.description ?? ''), 80)
  item.tooltip = toPlain(String(definition.description ?? ''))
  item.iconPath = new vscode.ThemeIcon(ITEM_ICONS[kind])
  item.contextValue = kind
  item.command = {
    command: ITEM_COMMANDS[kind],
    title: 'Open',
    arguments: [{ kind: 'item', item: { kind, name, definition } }],
  }
  return item
}
