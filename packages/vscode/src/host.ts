/** The host beside this window: started only for a trusted folder, kept with what it tells, ended with the window. */

import type { HostMethods, ItemRow, ServerRow, ShownQuestion } from 'portico/editor-protocol'
import * as vscode from 'vscode'
import { Connection } from './connection.ts'
import { EditorOffers } from './editor-offers.ts'
import { toNotice } from './plain.ts'

type Task = HostMethods['tasks/list']['result']['tasks'][number]
type TurnEvent = {
  readonly conversation: string
  readonly event: { readonly type: string } & { readonly [name: string]: unknown }
}

const PROTOCOL = 1
/** The models whose keys are kept in the editor's own store and given to the host in its environment. */
export const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'] as const

export class HostProcess {
  readonly #context: vscode.ExtensionContext
  readonly #changed = new vscode.EventEmitter<void>()
  readonly #asked = new vscode.EventEmitter<ShownQuestion>()
  readonly #gone = new vscode.EventEmitter<string>()
  readonly #turns = new vscode.EventEmitter<TurnEvent>()
  readonly #progress = new Map<string | number, (words: string) => void>()
  #connection: Connection | undefined
  #starting: Promise<Connection> | undefined
  #offers: EditorOffers | undefined
  #isStopping = false
  readonly servers = new Map<string, ServerRow>()
  readonly tasks = new Map<string, Task>()
  items: readonly ItemRow[] = []

  readonly onChanged = this.#changed.event
  readonly onAsked = this.#asked.event
  readonly onGone = this.#gone.event
  readonly onTurn = this.#turns.event

  constructor(context: vscode.ExtensionContext) {
    this.#context = context
  }

  get running(): boolean {
    return this.#connection !== undefined
  }

  /** Starts it where it does not run. Rejects where the folder is not trusted: it could name programs to start. */
  async start(): Promise<Connection> {
    if (!vscode.workspace.isTrusted) throw new Error('This folder is not trusted: nothing is started for it.')
    this.#starting ??= this.#open().catch((error: unknown) => {
      this.#starting = undefined
      throw error
    })
    return this.#starting
  }

  stop(): void {
    this.#isStopping = true
    this.#connection?.close()
  }

  /** With `onProgress`, what is told of the request meanwhile; the token cancels it. */
  async request<Name extends keyof HostMethods>(
    method: Name,
    params: HostMethods[Name]['params'],
    {
      token,
      onProgress,
    }: { readonly token?: vscode.CancellationToken; readonly onProgress?: (words: string) => void } = {},
  ): Promise<HostMethods[Name]['result']> {
    const connection = await this.start()
    let id = 0
    const asked = connection.request(method, params, (given) => {
      id = given
      if (onProgress !== undefined) this.#progress.set(given, onProgress)
    })
    const stop = token?.onCancellationRequested(() => connection.notify('cancel', { id }))
    return asked.finally(() => {
      stop?.dispose()
      this.#progress.delete(id)
    })
  }

  async #open(): Promise<Connection> {
    const settings = vscode.workspace.getConfiguration('portico')
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath
    if (folder === undefined) throw new Error('Open a folder first: the host works in one.')
    const offers = new EditorOffers(folder, this.#context.secrets)
    const command = settings.get<string[]>('command', ['portico', 'host'])
    this.#isStopping = false
    const connection = new Connection(
      command,
      folder,
      { ...process.env, ...(await this.#keys()) },
      {
        answer: (method, params) => offers.answer(method, params),
        event: (event, params) => this.#take(event, params as never),
        closed: (code, words) => this.#closed(code, words),
      },
    )
    this.#offers = offers
    this.#connection = connection
    await connection.request('initialize', {
      protocol: PROTOCOL,
      editor: { name: 'vscode', version: vscode.version },
      plugin: String(this.#context.extension.packageJSON.version),
      offers: ['input', 'secrets', 'page', ...settings.get<('files' | 'diagnostics' | 'selection')[]>('offers', [])],
    })
    offers.watch((what) => connection.notify('editor/changed', { what }))
    await this.#readAll(connection)
    return connection
  }

  async #keys(): Promise<{ readonly [name: string]: string }> {
    const found = await Promise.all(KEYS.map(async (name) => [name, await this.#context.secrets.get(name)] as const))
    return Object.fromEntries(found.filter((entry): entry is [(typeof KEYS)[number], string] => entry[1] !== undefined))
  }

  async #readAll(connection: Connection): Promise<void> {
    const [{ servers, problems }, { tasks }, { questions }] = await Promise.all([
      connection.request('servers/list', {}),
      connection.request('tasks/list', {}),
      connection.request('questions/list', {}),
    ])
    for (const server of servers) this.servers.set(server.name, server)
    for (const task of tasks) this.tasks.set(task.label, task)
    this.#changed.fire()
    for (const problem of problems) void vscode.window.showWarningMessage(toNotice(problem))
    for (const question of questions) if (question.elsewhere !== true) this.#asked.fire(question)
    await this.#readItems(connection)
  }

  async #readItems(connection: Connection): Promise<void> {
    const found: ItemRow[] = []
    let cursor: string | undefined
    do {
      const page: HostMethods['items/list']['result'] = await connection.request(
        'items/list',
        cursor === undefined ? {} : { cursor },
      )
      found.push(...page.items)
      cursor = page.next
    } while (cursor !== undefined)
    this.items = found
    this.#changed.fire()
  }

  // The shapes are those of the protocol; the name says which.
  #take(event: string, params: never): void {
    const { server, id, question, task } = params as { server: never; id: string; question: ShownQuestion; task: Task }
    if (event === 'server/changed') this.servers.set((server as ServerRow).name, server)
    if (event === 'server/removed') this.servers.delete(server)
    if (event === 'task/changed') this.tasks.set(task.label, task)
    if (event === 'question/asked') this.#asked.fire(question)
    if (event === 'question/gone') this.#gone.fire(id)
    if (event === 'turn/event') this.#turns.fire(params)
    if (event === 'progress') this.#progress.get(id)?.(progressWords(params))
    if (event === 'items/changed' && this.#connection !== undefined)
      void this.#readItems(this.#connection).catch(() => {})
    if (/^(?:server|task)\//.test(event)) this.#changed.fire()
  }

  #closed(code: number | null, words: string): void {
    this.#connection = undefined
    this.#starting = undefined
    this.#offers?.dispose()
    this.servers.clear()
    this.items = []
    this.#changed.fire()
    if (this.#isStopping) return
    const why = code === null ? 'cannot be run (npm install -g portico)' : `has ended (${code})`
    void vscode.window.showErrorMessage(toNotice(`The host ${why}. ${words}`))
  }
}

function progressWords({
  progress,
  total,
  message = '',
}: {
  progress: number
  total?: number
  message?: string
}): string {
  return `${progress}${total === undefined ? '' : `/${total}`} ${message}`
}
