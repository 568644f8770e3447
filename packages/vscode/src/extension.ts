/** The extension put together. Nothing is started before a person asks for it, and nothing at all in a folder that is not trusted. */

import * as vscode from 'vscode'
import { createCommands } from './commands.ts'
import { Documents, SCHEME } from './documents.ts'
import { HostProcess } from './host.ts'
import { toNotice, toPlain } from './plain.ts'
import { Questions } from './questions.ts'
import { ServerTree } from './tree.ts'

let host: HostProcess | undefined

export function activate(context: vscode.ExtensionContext): void {
  const running = new HostProcess(context)
  host = running
  const documents = new Documents()
  const questions = new Questions(running, documents)
  const output = vscode.window.createOutputChannel('Portico')
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left)
  status.command = 'portico.questions'
  const tell = (): void => {
    const ready = [...running.servers.values()].filter(({ state }) => state === 'ready').length
    status.text = `Portico: ${running.running ? `${ready} of ${running.servers.size} ready` : 'off'}`
    status.show()
  }
  tell()
  context.subscriptions.push(
    output,
    status,
    running.onChanged(tell),
    running.onTurn(({ event }) => showTurn(output, event)),
    vscode.window.registerTreeDataProvider('portico.servers', new ServerTree(running)),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, documents),
    { dispose: () => running.stop() },
  )
  const commands = createCommands({ host: running, documents, questions, output, secrets: context.secrets })
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, (node) => attempt(() => run(node))))
  }
  if (vscode.workspace.isTrusted && vscode.workspace.getConfiguration('portico').get('autoStart') === true)
    void attempt(() => running.start())
}

export function deactivate(): void {
  host?.stop()
}

async function attempt(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    void vscode.window.showErrorMessage(toNotice(error instanceof Error ? error.message : String(error)))
  }
}

function showTurn(
  output: vscode.OutputChannel,
  event: { readonly type: string; readonly [name: string]: unknown },
): void {
  if (event.type === 'text') output.append(toPlain(String(event.delta)))
  if (event.type === 'text-end') output.appendLine('')
  if (event.type !== 'call') return
  const { server, name, status } = event.call as { server: string; name: string; status: string }
  if (status !== 'running' && status !== 'waiting') output.appendLine(toPlain(`[${server} ${name}: ${status}]`))
}
