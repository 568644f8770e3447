/** The commands of the extension. What a person picks is looked up in what the host listed; nothing else is sent. */

import type { ItemRow, ServerAction } from 'portico/editor-protocol'
import * as vscode from 'vscode'
import { type Documents, toText } from './documents.ts'
import { askForm, type Values } from './form.ts'
import { type HostProcess, KEYS } from './host.ts'
import { toLabel, toNotice, toPlain } from './plain.ts'
import type { Questions } from './questions.ts'
import type { Node } from './tree.ts'

interface CommandParts {
  readonly host: HostProcess
  readonly documents: Documents
  readonly questions: Questions
  readonly output: vscode.OutputChannel
  readonly secrets: vscode.SecretStorage
}

const CONVERSATION = 'vscode'

export function createCommands(parts: CommandParts): { readonly [command: string]: (node?: Node) => unknown } {
  const { host, questions } = parts
  return {
    'portico.start': () => host.start(),
    'portico.stop': () => host.stop(),
    'portico.call': (node) => callTool(parts, node, false),
    'portico.callAsTask': (node) => callTool(parts, node, true),
    'portico.read': (node) => readResource(parts, node, (name, text) => parts.documents.showText(name, text)),
    'portico.insert': (node) => readResource(parts, node, async (_name, text) => insert(text)),
    'portico.prompt': (node) => insertPrompt(parts, node),
    'portico.ask': () => askModel(parts),
    'portico.questions': () => questions.next(),
    'portico.tasks': () => showTasks(parts),
    'portico.setKey': () => setKey(parts),
    'portico.restart': (node) => setServer(host, node, 'restart'),
    'portico.enable': (node) => setServer(host, node, 'enable'),
    'portico.disable': (node) => setServer(host, node, 'disable'),
    'portico.signIn': (node) => setServer(host, node, 'sign-in'),
  }
}

async function setServer(host: HostProcess, node: Node | undefined, action: ServerAction): Promise<void> {
  if (node?.kind === 'server') await host.request('servers/set', { server: node.server.name, action })
}

async function pickItem(
  { host }: CommandParts,
  node: Node | undefined,
  kinds: readonly ItemRow['kind'][],
): Promise<ItemRow | undefined> {
  await host.start()
  const all = host.items.filter(({ kind }) => kinds.includes(kind))
  if (node?.kind === 'item') return all.find(({ name, kind }) => name === node.item.name && kind === node.item.kind)
  const picks = all.map((item) => ({
    label: toLabel(item.name),
    description: toLabel(String(item.definition.description ?? ''), 80),
    item,
  }))
  return (await vscode.window.showQuickPick(picks, { placeHolder: kinds.join(' or ') }))?.item
}

/** Under the native progress, which can be cancelled. */
function during<T>(
  title: string,
  work: (token: vscode.CancellationToken, say: (words: string) => void) => Promise<T>,
): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Notification, title: toNotice(title), cancellable: true }
  return vscode.window.withProgress(options, (progress, token) =>
    work(token, (words) => progress.report({ message: toNotice(words, 120) })),
  )
}

async function callTool(parts: CommandParts, node: Node | undefined, task: boolean): Promise<void> {
  const item = await pickItem(parts, node, ['tool'])
  if (item === undefined) return
  const values = await askForm(`Call ${item.name}`, item.definition.inputSchema)
  if (values === undefined) return
  const params = { name: item.name, arguments: values, task }
  const answer = await during(item.name, (token, onProgress) =>
    parts.host.request('tools/call', params, { token, onProgress }),
  )
  if ('task' in answer) return
  const { content, isError } = answer.result
  await parts.documents.showText(item.name, `${isError === true ? 'It failed:\n\n' : ''}${toText(content)}`)
}

async function readResource(
  parts: CommandParts,
  node: Node | undefined,
  use: (name: string, text: string) => Promise<void>,
): Promise<void> {
  const item = await pickItem(parts, node, ['resource', 'template'])
  if (item === undefined) return
  const template = item.definition.uriTemplate
  const uri =
    typeof template === 'string'
      ? await vscode.window.showInputBox({ prompt: 'The URI', value: toPlain(template) })
      : item.name
  if (uri === undefined) return
  const { contents } = await during(uri, (token) => parts.host.request('resources/read', { uri }, { token }))
  await use(uri, toText(contents))
}

/** Text, not a snippet: what a server wrote has no placeholders to run. */
async function insert(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor
  if (editor === undefined) throw new Error('Open a file first.')
  await editor.edit((edit) => edit.insert(editor.selection.active, text))
}

async function insertPrompt(parts: CommandParts, node: Node | undefined): Promise<void> {
  const item = await pickItem(parts, node, ['prompt'])
  if (item === undefined) return
  const values = await askForm(`Prompt ${item.name}`, toSchema(item.definition.arguments))
  if (values === undefined) return
  const { messages } = await during(item.name, (token) =>
    parts.host.request('prompts/get', { name: item.name, arguments: toTexts(values) }, { token }),
  )
  await insert(messages.map(({ content }) => toText(content)).join('\n\n'))
}

function toSchema(list: unknown): object {
  const args = (Array.isArray(list) ? list : []) as {
    readonly name: string
    readonly description?: string
    readonly required?: boolean
  }[]
  const properties = Object.fromEntries(args.map(({ name, description }) => [name, { type: 'string', description }]))
  return { properties, required: args.filter(({ required }) => required === true).map(({ name }) => name) }
}

function toTexts(values: Values): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
}

async function askModel({ host, output }: CommandParts): Promise<void> {
  const text = await vscode.window.showInputBox({ prompt: 'Ask the model', ignoreFocusOut: true })
  if (text === undefined || text === '') return
  output.show(true)
  output.appendLine(`> ${text}\n`)
  const { reason, error } = await during('The model answers', (token) =>
    host.request('turn/start', { conversation: CONVERSATION, text }, { token }),
  )
  output.appendLine(`(${toPlain(error ?? reason)})\n`)
}

async function showTasks({ host, documents }: CommandParts): Promise<void> {
  await host.start()
  const picks = [...host.tasks.values()].map(({ label, tool, status, message = '' }) => ({
    label: toLabel(`${tool} ${label}`),
    description: toLabel(`${status} ${message}`),
    task: label,
  }))
  const picked = await vscode.window.showQuickPick(picks, { placeHolder: 'A task' })
  if (picked === undefined) return
  const act = await vscode.window.showQuickPick(['Show the result', 'Cancel it', 'Take it off the list'], {
    placeHolder: picked.label,
  })
  if (act === 'Cancel it') await host.request('tasks/cancel', { label: picked.task })
  if (act === 'Take it off the list') await host.request('tasks/forget', { label: picked.task })
  if (act !== 'Show the result') return
  const { result } = await during(picked.label, (token) =>
    host.request('tasks/result', { label: picked.task }, { token }),
  )
  await documents.showText(picked.task, toText(result.content))
}

/** Into the editor's own secret store, which no file of the folder can read. */
async function setKey({ secrets }: CommandParts): Promise<void> {
  const name = await vscode.window.showQuickPick([...KEYS], { placeHolder: 'Which key' })
  if (name === undefined) return
  const value = await vscode.window.showInputBox({
    prompt: `${name}; empty takes it away`,
    password: true,
    ignoreFocusOut: true,
  })
  if (value === undefined) return
  if (value === '') await secrets.delete(name)
  else await secrets.store(name, value)
  void vscode.window.showInformationMessage('Portico: the key is used from the next start of the host on.')
}
