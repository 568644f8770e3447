/**
 * The files server: directories as resources with live updates, tools to read, search and, when allowed, to change them.
 * Everything goes through `confine.ts`; the tools and resources live in the modules beside it.
 */

import { realpath } from 'node:fs/promises'
import { createServer, PorticoError, prompt } from '@portico/sdk/server'
import { toAnswers } from '../answers.ts'
import type { ReadyServer } from '../entry.ts'
import { onSubscriptions } from '../subscribers.ts'
import { FileList } from './file-list.ts'
import { FilesHost } from './host.ts'
import { type FilesOptions, type FilesSettings, settleFilesOptions } from './options.ts'
import { withPlainErrors } from './plain-errors.ts'
import { createFileResources, createPathCompleter, fromFileUri } from './resources.ts'
import { createListDirectory } from './tools/tools-list.ts'
import { createMoreTools } from './tools/tools-more.ts'
import { createReadTools, readReached } from './tools/tools-read.ts'
import { createSearchTools } from './tools/tools-search.ts'
import { createPreviewEdit, createWriteTools } from './tools/tools-write.ts'
import { Watches } from './watch.ts'

const MIN_PAGE = 20

/**
 * Makes a server that lets a client list, read and search the files in the given directories, and change them if
 * `write` is set.
 *
 * @example
 * ```ts
 * import { createFilesServer } from '@portico/servers/files'
 * import { serveStdio } from '@portico/sdk/stdio'
 *
 * const { server } = await createFilesServer({ directories: ['./docs'] })
 * serveStdio(server)
 * ```
 */
export async function createFilesServer(options: FilesOptions): Promise<ReadyServer> {
  const host = await FilesHost.open(await withRealTrash(settleFilesOptions(options)))
  const { settings } = host
  const files = settings.listFiles ? new FileList(host, () => server.changed('resources')) : undefined
  const server = createServer({
    name: 'portico-files',
    title: 'Files',
    version: '0.1.0',
    instructions: toInstructions(host),
    tools: toAnswers(
      withPlainErrors({
        ...createReadTools(host),
        list_directory: createListDirectory(host),
        ...createSearchTools(host),
        preview_edit: createPreviewEdit(host),
        ...(settings.write ? { ...createWriteTools(host), ...createMoreTools(host) } : {}),
      }),
      options,
    ),
    resources: createFileResources(host, files),
    // Tools and prompts are fewer than a page, and stay on one.
    ...(files && { pageSize: Math.max(settings.maxResults, MIN_PAGE) }),
    prompts: { explain_file: createExplainFile(host) },
  })
  const resolve = async (uri: string): Promise<string | undefined> => {
    const path = fromFileUri(uri)
    // The client's roots cannot be asked for here. What a watcher tells is that something changed, never what.
    return path === undefined ? undefined : (await host.confinement.reach(path, undefined).catch(() => undefined))?.path
  }
  const watches = new Watches(resolve, (uri) => server.changed(uri), settings.maxWatched)
  host.changed = (path) => {
    watches.announce(path)
    files?.look()
  }
  onSubscriptions(server, watches)
  const close = (): Promise<void> => {
    files?.close()
    return watches.close()
  }
  return { server, close }
}

function createExplainFile(host: FilesHost) {
  return prompt(
    {
      title: 'Explain a file',
      description: 'Asks the model to explain a file to somebody who has not seen it',
      arguments: [{ name: 'path', description: 'The file', required: true }],
      complete: { path: createPathCompleter(host) },
    },
    async ({ path }, ctx) => {
      const reached = await host.existing(path ?? '', ctx)
      const { read, blob } = await readReached(host, reached, {}, ctx.signal)
      const { uri, mimeType, text } = read
      return {
        description: `Explain ${reached.path}`,
        messages: [
          {
            role: 'user',
            content: {
              type: 'text',
              text: 'Explain this file: what it is for, how it is built, what to watch out for.',
            },
          },
          { role: 'user', content: blob ?? { type: 'resource', resource: { uri, mimeType, text: text ?? '' } } },
        ],
      }
    },
  )
}

function toInstructions({ confinement, settings }: FilesHost): string {
  const names = confinement.directories.map(({ given }) => given).join(', ')
  const can = settings.write ? 'The user is asked before anything that exists is changed.' : 'It only reads.'
  return `Files in ${names}. ${can} Use search_files and search_text to find things, and read ranges of long files.`
}

async function withRealTrash(settings: FilesSettings): Promise<FilesSettings> {
  if (settings.trash === undefined) return settings
  const trash = await realpath(settings.trash).catch((cause: unknown) => {
    throw new PorticoError('invalid-definition', `files: the folder of the option "trash" is not there`, { cause })
  })
  return { ...settings, trash }
}
