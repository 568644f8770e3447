/** The tool that says what there is to work on: folders, language servers, and the files that are open in them. */

import { basename } from 'node:path'
import { tool } from '@portico/sdk/server'
import { answer, type EditorHost } from './host.ts'

export function createWorkspaceTool(host: EditorHost) {
  const input = { type: 'object', properties: {}, additionalProperties: false } as const
  const description = 'The folders, the language servers for their files, and the files that are open in those'
  const traits = { readOnly: true, idempotent: true, openWorld: false } as const
  return tool({ title: 'Workspace', description, input, ...traits }, () =>
    answer(host, workspaceLines(host).join('\n')),
  )
}

function workspaceLines(host: EditorHost): string[] {
  const running = new Map(host.clients().map((client) => [client.language, client]))
  return [
    ...host.folders.map((folder) => `folder ${folder}`),
    ...host.languages.map((language) => {
      const state = running.has(language) ? 'running' : 'not started'
      return `language server ${basename(language.command[0] ?? '')} for ${language.extensions.join(' ')}: ${state}`
    }),
    ...[...running.values()].flatMap(({ files }) => files).map((path) => `open ${host.name(path)}`),
  ]
}
