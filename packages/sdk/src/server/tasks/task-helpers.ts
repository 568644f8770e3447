/**
 * Tools by which a caller that knows no tasks follows one: its model reads in the answer to a long call that the work goes on, and
 * asks for the rest by `task_result`. They are in the list of such callers alone, and of servers that have tools with tasks.
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { EXTENSION_TASKS, generationOf, META_TASK_HELPER } from '../../protocol/tasks.ts'
import type { CallToolResult, ListToolsResult, Tool } from '../../protocol/tools.ts'
import { type Asker, putQuestion } from '../asking/asking.ts'
import type { ServerCall } from '../call/call.ts'
import { andThen, type ServerMethod } from '../call/method.ts'
import type { ToolEntry } from '../features/tools.ts'
import type { Registry } from '../items/registry.ts'
import type { OwnTasks } from './own-tasks.ts'
import { answered, declaresTasks } from './task-answer.ts'
import { isOver, type TaskBook } from './task-book.ts'
import { CANCEL_HELPER, HELPER, type TaskSettings } from './task-options.ts'
import { type TaskRecord, unanswered } from './task-record.ts'
import { outcomeOf, type TaskWait } from './task-wait.ts'

const DESCRIPTIONS = {
  task_status: 'Tells how far a task is that a long-running tool call became.',
  task_result:
    'Waits for the result of a task that a long-running tool call became, and gives it. Call it again while the task is still working.',
  [CANCEL_HELPER]: 'Stops a task that a long-running tool call became.',
} as const

type HelperName = keyof typeof DESCRIPTIONS

/** Names that a server with helper tools cannot give to tools of its own. */
export const HELPER_NAMES: ReadonlySet<string> = new Set(Object.keys(DESCRIPTIONS))

const INPUT: JsonObject = {
  type: 'object',
  properties: { taskId: { type: 'string', description: 'The id that the tool call gave' } },
  required: ['taskId'],
}

interface HelperParts {
  readonly asker: () => Asker
  readonly book: TaskBook
  readonly own: OwnTasks
  readonly wait: TaskWait
  readonly holdMs: number
}

export class TaskHelpers {
  readonly #parts: HelperParts
  readonly #entries: ReadonlyMap<string, ToolEntry>

  constructor(parts: HelperParts) {
    this.#parts = parts
    const names = Object.keys(DESCRIPTIONS) as HelperName[]
    this.#entries = new Map(names.map((name) => [name, this.#entry(name)]))
  }

  /** The helpers, as lists show them. */
  get tools(): Tool[] {
    return [...this.#entries.values()].map(({ tool }) => structuredClone(tool))
  }

  get(name: string): ToolEntry | undefined {
    return this.#entries.get(name)
  }

  #entry(name: HelperName): ToolEntry {
    const annotations =
      name === CANCEL_HELPER ? { destructiveHint: true, idempotentHint: true } : { readOnlyHint: true }
    return {
      tool: {
        name,
        description: DESCRIPTIONS[name],
        inputSchema: INPUT,
        annotations,
        _meta: { [META_TASK_HELPER]: true },
      },
      access: {},
      input: undefined,
      output: undefined,
      paramHeaders: [],
      task: HELPER,
      handler: () => undefined,
      // They need the request itself, which handlers do not have; what they give is a tool's result.
      inside: (call) => this.#serve(name, call) as never,
    }
  }

  async #serve(name: HelperName, call: ServerCall): Promise<CallToolResult> {
    const { book, own } = this.#parts
    const taskId = isObject(call.params.arguments) ? call.params.arguments.taskId : undefined
    if (typeof taskId !== 'string') return textResult('Give the taskId that the tool call gave', true)
    const principal = call.conversation.principal?.id
    const record = await own.find(taskId, call)
    book.tellAccess({ taskId, method: name, principal, tool: record?.request.params.name })
    if (record === undefined) return textResult('There is no such task here, or its time is over', true)
    if (name === 'task_status') return textResult(describe(record))
    if (name === 'task_result') return this.#result(record.id, call)
    return textResult(describe((await book.cancel(record.id)) ?? record))
  }

  /** The result as it would have been, or how far the task is. */
  async #result(id: string, call: ServerCall): Promise<CallToolResult> {
    const { asker, wait, holdMs } = this.#parts
    const until = performance.now() + holdMs
    for (;;) {
      const record = await wait.wait(call, id, { forMs: Math.max(0, until - performance.now()) })
      const outcome = outcomeOf(record, call)
      if (outcome !== undefined) return answered(outcome)
      const open = unanswered(record)
      const answerable = call.session === undefined && open.every(([, { method }]) => canAnswer(call, method))
      if (open.length === 0 || !answerable) return textResult(describe(record))
      // Without a session, questions go out as the answer to this call, and it comes again with the answers.
      const asked = open.map(async ([key, question]) => {
        const answer = await putQuestion(
          asker(),
          call,
          { key: `${id}.${key}`, ...toAsk(question) },
          (response) => response,
        )
        return [key, answer] as const
      })
      await wait.answer(id, Object.fromEntries(await Promise.all(asked)))
    }
  }
}

/** The list with what callers without tasks have besides, after the last of the author's, where any tool has tasks. */
export function withHelpers(
  helpers: TaskHelpers,
  tools: Registry<ToolEntry>,
  listed: ServerMethod<ListToolsResult>,
): ServerMethod<ListToolsResult> {
  const hasTasks = (): boolean => [...tools.values()].some(({ task }) => task !== undefined && task.mode !== 'never')
  return {
    ...listed,
    // The list differs from request to request, which a text that is kept for all cannot.
    ready: (call) => (hasTasks() ? undefined : listed.ready?.(call)),
    run: (call) =>
      andThen(listed.run(call), (result) =>
        result.nextCursor === undefined && hasTasks() && needsHelpers(call)
          ? { ...result, tools: [...result.tools, ...helpers.tools] }
          : result,
      ),
  }
}

function toAsk({ method, params }: { readonly method: string; readonly params: JsonObject }) {
  return { method, params }
}

/** Whether a caller offered to answer such questions. */
function canAnswer({ conversation }: ServerCall, method: string): boolean {
  const capabilities: JsonObject = { ...conversation.capabilities }
  return isObject(capabilities[method.split('/')[0] ?? ''])
}

/** Whether a caller has no other way to a task than these tools. */
export function needsHelpers(call: ServerCall): boolean {
  return generationOf(call.conversation.revision) !== EXTENSION_TASKS || !declaresTasks(call)
}

/** What a caller without tasks is given in place of a result that takes longer than its request may stay open. */
export function handleOf(record: TaskRecord, { structured }: TaskSettings): CallToolResult {
  const { id, createdAt, ttlMs } = record
  const over = new Date(createdAt + ttlMs).toISOString()
  const text =
    `${describe(record)}\nThe work goes on. Call task_result with {"taskId":"${id}"} to wait for its result, task_status to ` +
    `see how far it is, or task_cancel to stop it. The task is kept until ${over}.`
  // Clients take a result without structured content for a broken promise where the tool has an output schema, unless it is an error.
  return textResult(text, structured)
}

function describe(record: TaskRecord): string {
  const { id, request, status, statusMessage, wakeAt } = record
  const said = statusMessage === undefined ? '' : `: ${statusMessage}`
  const asks = status === 'input_required' ? '; it has a question, which task_result brings' : ''
  const sleeps = wakeAt === undefined || isOver(record) ? '' : `; it waits until ${new Date(wakeAt).toISOString()}`
  return `Task ${id} of the tool "${String(request.params.name)}" is ${WORDS[status]}${said}${asks}${sleeps}.`
}

const WORDS = {
  working: 'working',
  input_required: 'waiting for an answer',
  completed: 'done; task_result gives its result',
  failed: 'over, since it failed',
  cancelled: 'cancelled',
} as const

function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError && { isError }) }
}
