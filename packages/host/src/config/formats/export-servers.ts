/** Servers as the whole text of another program's file, for programs that have none yet or for pasting. */

import type { ConfigInput } from '../command/inputs.ts'
import type { ConfigProblem, ServerConfig } from '../server-config.ts'
import { toEntry, type WrittenInput } from './entry-out.ts'
import { type ConfigForm, FORMS } from './form.ts'

/** Servers as the text of a program's configuration file. */
export interface ExportedServers {
  readonly text: string
  /** What the program cannot have, or has in another way. */
  readonly problems: readonly ConfigProblem[]
}

/**
 * Writes servers as the text of a configuration file for another program. What that program cannot have is left out and
 * reported in `problems`.
 *
 * @example
 * ```ts
 * import { defineServer, exportServers } from '@portico/host/config'
 *
 * const server = defineServer('notes', { kind: 'stdio', command: 'notes-server', args: [], env: {} })
 * const { text, problems } = exportServers([server], 'vscode')
 * ```
 */
export function exportServers(
  servers: readonly ServerConfig[],
  form: ConfigForm,
  options: { readonly inputs?: readonly ConfigInput[] } = {},
): ExportedServers {
  // By `fromEntries`, because a name may be anything that a file can hold.
  const entries: [string, unknown][] = []
  const inputs = new Map<string, WrittenInput>()
  const problems: ConfigProblem[] = []
  for (const server of servers) {
    const written = toEntry(server, form, options.inputs)
    problems.push(...written.problems)
    if (written.entry === undefined) continue
    entries.push([server.name, written.entry])
    for (const input of written.inputs) inputs.set(input.id, input)
  }
  const { shelves } = FORMS[form]
  // Every form has a shelf.
  const content = {
    [shelves[0]!]: Object.fromEntries(entries),
    ...(inputs.size > 0 && { inputs: [...inputs.values()] }),
  }
  return { text: `${JSON.stringify(content, null, 2)}\n`, problems }
}
