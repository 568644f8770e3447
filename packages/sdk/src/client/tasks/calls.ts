/** Calls of tools that may become tasks: started, followed to their end, or taken up again. Loaded when the first one needs it. */

import { INVALID_REQUEST, PorticoError, type RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { readCreated } from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import type { SentCall } from '../attempt.ts'
import { ToolCall } from '../features/tools.ts'
import type { RequestOptions } from '../options.ts'
import { signalOf } from '../relay.ts'
import type { TaskHost } from './host.ts'
import { getTask, requireTasks } from './requests.ts'
import type { ToolRun } from './run.ts'
import { takesTasks } from './support.ts'
import { createDoneRun, TaskRun } from './tool-run.ts'

export { listTasks } from './requests.ts'

export async function startTool(
  host: TaskHost,
  name: string,
  args: JsonObject,
  options: RequestOptions,
): Promise<ToolRun> {
  await learn(host, name, options)
  const call = new ToolStart(host, name, args, { task: true, ...options })
  return host.requests.send(call, call.options)
}

/** A call that asks for a task wherever the tool can be one. */
export async function callTool(
  host: TaskHost,
  name: string,
  args: JsonObject,
  options: RequestOptions,
): Promise<CallToolResult> {
  await learn(host, name, options)
  const call = new ToolCall(host, name, args, options)
  return host.requests.send(call, call.options)
}

export async function resumeTask(host: TaskHost, taskId: string, options: RequestOptions): Promise<ToolRun> {
  requireTasks(await host.requests.connected(signalOf(options)))
  const { timeoutMs, signal } = options
  const seen = await getTask(host, taskId, { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) })
  if (seen.view.taskId !== taskId) {
    throw new PorticoError('invalid-message', 'The server described another task', { delivery: 'unknown' })
  }
  return new TaskRun(host, { seen, options })
}

/** The result of a call that became a task. Ends the task when its caller gives up, or nothing can come of it here. */
export async function followCall(
  host: TaskHost,
  call: ToolCall<unknown>,
  result: JsonObject,
  sent: SentCall | undefined,
): Promise<CallToolResult> {
  const run = toRun(host, call, result, sent)
  const { onTask } = call.options
  if (onTask !== undefined) host.emitter.tell(onTask, run, 'a task')
  const signal = signalOf(call.options)
  try {
    return await run.result(signal === undefined ? {} : { signal })
  } catch (error) {
    const gone = error instanceof PorticoError && error.code === 'not-found'
    // Whoever called has their error already; what becomes of the task is the server's business from here on.
    if (!gone && !host.reconnector.over) run.cancel().catch(() => {})
    throw error
  }
}

/** The call once more, as a task, if the server meant that by refusing it: then nothing was done. */
export async function callAsTask(
  host: TaskHost,
  { params, options }: ToolCall<unknown>,
  { rpcCode }: RpcError,
): Promise<CallToolResult | undefined> {
  const name = params.name as string
  if (host.tools.get(name) === undefined) await host.refreshTools(options).catch(() => {})
  const support = host.tools.get(name)?.execution?.taskSupport
  if (support !== 'required' && !(support === 'optional' && rpcCode === INVALID_REQUEST)) return undefined
  const call = new ToolCall(host, name, params.arguments as JsonObject, { task: true, ...options })
  return host.requests.send(call, call.options)
}

/** Which tools can be tasks is in the list of tools, on 2025-11-25. */
async function learn(host: TaskHost, name: string, options: RequestOptions): Promise<void> {
  const connection = await host.requests.connected(signalOf(options))
  if (takesTasks(connection) && host.tools.get(name) === undefined) await host.refreshTools(options)
}

function toRun(host: TaskHost, call: ToolCall<unknown>, result: JsonObject, sent: SentCall | undefined): TaskRun {
  const generation = requireTasks(sent?.connection ?? host.connection)
  const { task: view, immediateResponse } = readCreated(result, generation)
  const tool = call.params.name as string
  return new TaskRun(host, { seen: { view, generation }, tool, options: call.options, immediateResponse, sent })
}

/** The call of a tool that gives a run in place of the result. */
class ToolStart extends ToolCall<ToolRun> {
  readonly #host: TaskHost

  constructor(host: TaskHost, name: string, args: JsonObject, options: RequestOptions) {
    super(host, name, args, options)
    this.#host = host
  }

  override finish(result: JsonObject, _asked: boolean, sent?: SentCall): ToolRun {
    if (!this.isTask(result)) return createDoneRun(this.#host.tools.readResult(this.params.name as string, result))
    const run = toRun(this.#host, this, result, sent)
    if (this.options.onTask !== undefined) this.#host.emitter.tell(this.options.onTask, run, 'a task')
    return run
  }
}
