/**
 * A server out of the configuration: connected by the host, shown as its catalogue shows it, and used past its guard. A
 * name that is not configured but is one of the ready-made servers means that one, without the host.
 */

import type { Host } from '@portico/host'
import type { CatalogueItem, ItemKind } from '@portico/host/upstream'
import type { CallToolResult, Prompt, RequestOptions, Resource, ResourceTemplate, Tool } from '@portico/sdk/client'
import { isServerName, SERVER_NAMES } from '@portico/servers'
import { CliError } from '../../exit-codes.ts'
import { findServer, readConfig } from '../configuration.ts'
import type { CliHostOptions } from '../host.ts'
import type { Io } from '../terminal/io.ts'
import { openDirectly } from './direct-target.ts'
import type { OpenTarget, TargetOptions } from './open-target.ts'
import { toPathError } from './path-error.ts'
import type { TargetKind } from './target-kind.ts'
import { taskBookOf } from './target-tasks.ts'

export async function openNamed(
  target: Extract<TargetKind, { readonly kind: 'name' }>,
  io: Io,
  options: TargetOptions,
): Promise<OpenTarget> {
  const { name } = target
  const config = await readConfig(io, options.config)
  const isConfigured = config.servers.some((server) => server.name === name)
  // A name in a file that nobody has trusted is that file's all the same: another server must not answer to it.
  const isTaken = isConfigured || config.untrusted.some(({ servers }) => servers.includes(name))
  if (isServerName(name) && (!isTaken || target.args !== undefined)) return openDirectly(target, io, options)
  const path = isTaken ? undefined : toPathError(name, io.cwd)
  if (path !== undefined) throw path
  findServer(config, name, SERVER_NAMES)
  if (target.args !== undefined) {
    const remedy = 'Only ready-made servers take arguments here; those of this one are in the configuration.'
    throw new CliError('usage', `"${target.args[0]}" cannot be given to ${name}`, remedy)
  }
  const { versions } = options
  // A revision that is asked for holds for the connection, whatever the configuration says of it.
  const pinned: CliHostOptions['more'] =
    versions === undefined
      ? {}
      : {
          resolve: (plain) => async (entry, wish) => {
            const resolved = await plain(entry, wish)
            return { ...resolved, options: { ...resolved.options, versions } }
          },
        }
  const { openHost } = await import('../host.ts')
  // Tasks that others follow are left to them.
  const host = await openHost(io, { ...options, only: [name], more: { ...pinned, tasks: { resume: false } } })
  try {
    io.progress(`connecting ${name} …`)
    const client = await host.upstreams.client(name, { signal: io.signal })
    io.progress(undefined)
    return createConfigured(host, name, client, io)
  } catch (error) {
    await host.close()
    throw error
  }
}

function createConfigured(host: Host, server: string, client: OpenTarget['client'], io: Io): OpenTarget {
  const { catalogue } = host
  const session = `command:${process.pid}`
  const act = ({ signal, onProgress }: RequestOptions = {}) => ({ session, signal, onProgress })
  const listed = once(() => catalogue.refresh(server))
  const items = async (kind: ItemKind): Promise<readonly CatalogueItem[]> => {
    await listed()
    return catalogue.items([kind]).filter((item) => item.server === server)
  }
  // The kind says which of the definitions it is.
  const definitions = async <Item>(kind: ItemKind): Promise<Item[]> =>
    (await items(kind)).map((item) => ({ ...item.definition, ...ownName(item) }) as unknown as Item)
  const nameOf = async (kind: ItemKind, wanted: string): Promise<string> => {
    const found = (await items(kind)).find((item) => item.name === wanted || shortName(item) === wanted)
    if (found === undefined) throw new CliError('not-found', `"${server}" has no ${kind} "${wanted}"`)
    return found.name
  }
  return {
    label: server,
    client,
    tools: () => definitions<Tool>('tool'),
    resources: () => definitions<Resource>('resource'),
    templates: () => definitions<ResourceTemplate>('template'),
    prompts: () => definitions<Prompt>('prompt'),
    callTool: async (tool, args, options) => (await host.call(await nameOf('tool', tool), args, act(options))).result,
    tasks: {
      identity: host.upstreams.config(server)?.fingerprint ?? '',
      takesForeign: false,
      endsWithCommand: ['stdio', 'in-process'].includes(host.upstreams.config(server)?.target.kind ?? ''),
      start: async (tool, args, options) => {
        const { task, ...done } = await host.callAsTask(await nameOf('tool', tool), args, act(options))
        if (task === undefined) return done as { result: CallToolResult }
        const kept = (await taskBookOf(io).list()).find(({ label }) => label === task.label)
        if (kept === undefined) throw new CliError('failed', 'The task runs, but could not be remembered here')
        return { task: kept }
      },
      result: async ({ label }, options) => (await host.tasks.result(label, act(options))).result,
      cancel: ({ label }) => host.tasks.cancel(label),
    },
    readResource: async (uri, options) => {
      await listed()
      return (await host.read(uri, act(options))).result
    },
    getPrompt: async (prompt, args, options) =>
      (await host.prompt(await nameOf('prompt', prompt), args, act(options))).result,
    close: () => host.close(),
  }
}

/** Without the server's name in front, where one server is spoken of. */
function shortName({ server, name, ownName }: CatalogueItem): string {
  return name === `${server}_${ownName}` ? ownName : name
}

function ownName(item: CatalogueItem): object {
  return item.kind === 'tool' || item.kind === 'prompt' ? { name: shortName(item) } : {}
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}
