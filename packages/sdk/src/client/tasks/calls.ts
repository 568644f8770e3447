/** Calls of tools that may become tasks: started, followed to their end, or taken up again. Loaded when the first one needs it. */

import { INVALID_REQUEST, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { readCreated } from '../../protocol/tasks.ts'
import type { CallToolResult, Tool } from '../../protocol/tools.ts'
import type { SentCall } from '../attempt.ts'
import type { CallsAsTasks, ToolCall } from '../features/tools.ts'
import type { RequestOptions } from '../options.ts'
import { signalOf } from '../relay.ts'
import { unbounded, untilAccepted } from './accepting.ts'
import type { TaskHost } from './host.ts'
import { cancelTask, declaredTasks, getTask, listTasks, requireTasks } from './requests.ts'
import type { TaskPage, ToolRun } from './run.ts'
import { takesTasks } from './support.ts'
import { createDoneRun, TaskRun } from './tool-run.ts'

/** What a client has done with tasks, made anew for each time. */
export class TaskCalls implements CallsAsTasks {
  readonly #host: TaskHost

  constructor(host: TaskHost) {
    this.#host = host
  }

  /** Calls a tool, as a task wherever it can be one. */
  async startTool(name: string, args: JsonObject, options: RequestOptions): Promise<ToolRun> {
    const run = await this.#start(name, args, { task: true, ...options })
    this.#tellOf(run, options)
    return run
  }

  /** A call of a tool that is nothing but a task, or is to be one. */
  async callTool(name: string, args: JsonObject, options: RequestOptions): Promise<CallToolResult> {
    const run = await this.#start(name, args, options).catch((error: unknown) => {
      const { connection, tools } = this.#host
      const refused = error instanceof RpcError && error.rpcCode === INVALID_REQUEST && !options.task
      if (!refused || !takesTasks(connection) || tools.get(name)?.execution?.taskSupport !== 'optional') throw error
      // It is the right of a server to take some calls as tasks alone (2025-11-25, tasks, "Error Handling").
      return this.#start(name, args, { ...options, task: true })
    })
    return run.task === undefined ? run.result() : this.#finish(run, options)
  }

  /** `tools/call` as a gateway sends it, which asks for a task itself (2025-11-25). */
  async requestTask(params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const host = this.#host
    const connection = await host.requests.connected(signalOf(options))
    const send = (how: RequestOptions) => host.ask('tools/call', params, host.callTimes, how)
    if (!takesTasks(connection)) return (await send(options)).result
    const accepted = send(unbounded(options)).then(({ result }) => result)
    return untilAccepted(accepted, options, host.timeouts.callMs, ({ task }) => {
      if (isObject(task) && typeof task.taskId === 'string') return cancelTask(host, task.taskId)
    })
  }

  /** Goes on with a task by its id. */
  async resumeTask(taskId: string, options: RequestOptions): Promise<ToolRun> {
    const host = this.#host
    requireTasks(await host.requests.connected(signalOf(options)))
    const { timeoutMs, signal } = options
    const times = { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }) }
    const seen = await getTask(host, taskId, times)
    if (seen.view.taskId !== taskId) {
      throw new PorticoError('invalid-message', 'The server described another task', { delivery: 'unknown' })
    }
    return new TaskRun(host, { seen, options })
  }

  listTasks(cursor: string | undefined, options: RequestOptions): Promise<TaskPage> {
    return listTasks(this.#host, cursor, options)
  }

  async followCall(call: ToolCall, result: JsonObject, sent: SentCall | undefined): Promise<CallToolResult> {
    return this.#finish(this.#toRun(call, result, sent), call.options)
  }

  async callAsTask({ params, options }: ToolCall, code: number): Promise<CallToolResult | undefined> {
    const { connection, tools } = this.#host
    if (!takesTasks(connection)) return undefined
    const name = params.name as string
    if (tools.get(name) === undefined) await this.#host.refreshTools(options).catch(() => {})
    const support = tools.get(name)?.execution?.taskSupport
    if (support !== 'required' && !(support === 'optional' && code === INVALID_REQUEST)) return undefined
    return this.callTool(name, params.arguments as JsonObject, { task: true, ...options })
  }

  async #start(name: string, args: JsonObject, options: RequestOptions): Promise<ToolRun> {
    const host = this.#host
    const connection = await host.requests.connected(signalOf(options))
    const takes = host.followsTasks && takesTasks(connection)
    // Which tools can be tasks is in the list of tools.
    if (takes && !host.tools.whole && host.tools.get(name) === undefined) {
      await host.refreshTools(options).catch(() => {})
    }
    const task = takes ? taskFor(host.tools.get(name), options) : undefined
    const call = host.toolCall(name, args, task === undefined ? options : unbounded(options))
    const { params } = call
    // The one who sends it gets what `finished` gives, whatever the type of the others says.
    call.finished = ((result, sent) => {
      if (call.tasks && (result.resultType === 'task' || (task !== undefined && isObject(result.task)))) {
        return this.#toRun(call, result, sent)
      }
      return createDoneRun(host.tools.readResult(name, result))
    }) as (result: JsonObject, sent: SentCall | undefined) => never
    if (task !== undefined) call.paramsOn = (to) => (takesTasks(to) ? { ...params, task } : params)
    const accepted = host.requests.send(call, call.options) as Promise<unknown> as Promise<ToolRun>
    if (task === undefined) return accepted
    return untilAccepted(accepted, options, host.timeouts.callMs, (run) => run.cancel())
  }

  /** Waits for the end of a run. Ends the task when its caller gives up, or nothing can come of it here. */
  async #finish(run: ToolRun, options: RequestOptions): Promise<CallToolResult> {
    this.#tellOf(run, options)
    const signal = signalOf(options)
    try {
      return await run.result(signal === undefined ? {} : { signal })
    } catch (error) {
      const gone = error instanceof PorticoError && error.code === 'not-found'
      // Whoever called has their error already; what becomes of the task is the server's business from here on.
      if (!gone && !this.#host.reconnector.over) run.cancel().catch(() => {})
      throw error
    }
  }

  #tellOf(run: ToolRun, { onTask }: RequestOptions): void {
    if (onTask !== undefined && run.task !== undefined) this.#host.emitter.tell(onTask, run, 'a task')
  }

  #toRun(call: ToolCall, result: JsonObject, sent: SentCall | undefined): TaskRun {
    const host = this.#host
    const generation = declaredTasks(sent?.connection ?? host.connection)
    const tool = call.params.name as string
    if (generation === undefined) {
      // The tool may have run: nothing is known of it but an answer that this server cannot give.
      const message = `The call of "${tool}" was answered with a task, and the server has declared none`
      throw new PorticoError('invalid-message', message, { delivery: 'unknown' })
    }
    const { task: view, immediateResponse } = readCreated(result, generation)
    return new TaskRun(host, { seen: { view, generation }, tool, options: call.options, immediateResponse, sent })
  }
}

/** What a call asks for to become a task of 2025-11-25, unless it is to be none. */
function taskFor(tool: Tool | undefined, { task = false }: RequestOptions): JsonObject | undefined {
  const support = tool?.execution?.taskSupport
  if (support !== 'required' && !(support === 'optional' && task)) return undefined
  const { ttlMs } = typeof task === 'object' ? task : {}
  return ttlMs === undefined ? {} : { ttl: ttlMs }
}
