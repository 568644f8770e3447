/**
 * A server that is reached without the host, because the person has typed what to run or contact: a URL, a command, a
 * file with a definition, or one of the ready-made servers.
 */

import { type Client, type ConnectOptions, connect, type Target, type ToolRun } from '@portico/sdk/client'
import { toTaskProgress } from '../tasks/task-words.ts'
import type { Unanswered } from '../tasks/unanswered.ts'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'
import type { OpenTarget, TargetOptions } from './open-target.ts'
import { labelOf, type TargetKind } from './target-kind.ts'
import { createDirectTasks, type TargetTasks } from './target-tasks.ts'

export async function openDirectly(target: TargetKind, io: Io, options: TargetOptions = {}): Promise<OpenTarget> {
  const label = labelOf(target)
  const { where, close } = await toConnectable(target, io)
  const unanswered = options.leavesQuestions === true ? await leaveQuestions(io) : undefined
  try {
    const client = await connect(where, {
      signal: io.signal,
      ...(options.versions !== undefined && { versions: options.versions }),
      ...(options.headers !== undefined && { headers: options.headers }),
      ...(io.interactive && { elicitation: (await import('../terminal/asking.ts')).createElicitation(io, label) }),
      ...(unanswered && { elicitation: unanswered.handlers }),
      ...(target.kind === 'url' && (await signInOptions(target.url, options, io))),
      ...options.connect,
    })
    client.on('warning', ({ message }) => io.say(`${io.paint.yellow('warning')}: ${toLine(message, 400)}`))
    return createDirect(client, label, createDirectTasks(client, label, target, { io, unanswered }), { io, close })
  } catch (error) {
    await close()
    if (io.signal.aborted) throw error
    throw await (await import('./unreachable.ts')).toUnreachable(error, target, io, options)
  }
}

async function leaveQuestions(io: Io): Promise<Unanswered | undefined> {
  return io.interactive ? undefined : (await import('../tasks/unanswered.ts')).createUnanswered()
}

interface Connectable {
  readonly where: Target
  /** Ends what was made for the connection and is not ended with it. */
  close(): Promise<void>
}

async function toConnectable(target: TargetKind, io: Io): Promise<Connectable> {
  const close = async (): Promise<void> => {}
  switch (target.kind) {
    case 'url':
      return { where: target.url, close }
    case 'command':
      return { where: { command: target.command, args: target.args, cwd: io.cwd }, close }
    case 'file': {
      const { loadDefinition } = await import('../../definition/load.ts')
      const made = await loadDefinition(target.file, io)
      return { where: made.server, close: () => made.close() }
    }
    case 'name': {
      const { isServerName } = await import('@portico/servers')
      if (!isServerName(target.name)) throw new TypeError(`${target.name} is no ready-made server`)
      const { createReadyMade } = await import('./ready-made.ts')
      const made = await createReadyMade(target.name, target.args ?? [])
      return { where: made.server, close: () => made.close() }
    }
  }
}

/** Signing in is for web addresses, and only where the person has not brought a credential. */
async function signInOptions(url: string, { headers = {} }: TargetOptions, io: Io): Promise<Partial<ConnectOptions>> {
  const hasCredential = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  if (hasCredential || !/^https?:/i.test(url)) return {}
  return (await import('../sign-in.ts')).createSignIn(io)
}

function createDirect(
  client: Client,
  label: string,
  tasks: TargetTasks,
  { io, close }: { readonly io: Io; close(): Promise<void> },
): OpenTarget {
  const { capabilities } = client.server
  return {
    label,
    client,
    tools: async () => (capabilities.tools === undefined ? [] : client.listTools()),
    resources: async () => (capabilities.resources === undefined ? [] : client.listResources()),
    templates: async () => (capabilities.resources === undefined ? [] : client.listResourceTemplates()),
    prompts: async () => (capabilities.prompts === undefined ? [] : client.listPrompts()),
    callTool: async (name, args, options) => {
      let run: ToolRun | undefined
      const onTask = (begun: ToolRun): void => {
        run = begun
        void showStatus(name, begun, io)
      }
      try {
        return await client.callTool(name, args, { ...options, onTask })
      } catch (error) {
        // The process ends soon: the server is to know before.
        if (io.signal.aborted) await run?.cancel().catch(() => {})
        throw error
      }
    },
    tasks,
    readResource: (uri, options) => client.readResource(uri, options),
    getPrompt: (name, args, options) => client.getPrompt(name, args, options),
    close: async () => {
      await client.close()
      await close()
    },
  }
}

/** What a task says of itself while its call is followed. */
async function showStatus(name: string, run: ToolRun, io: Io): Promise<void> {
  try {
    for await (const view of run.updates()) io.progress(toTaskProgress(name, view))
  } catch {
    // Whoever waits for the result hears of it.
  }
}
