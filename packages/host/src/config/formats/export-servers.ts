/** Servers as the whole text of another program's file, for programs that have none yet or for pasting. */

import type { ConfigInput } from '../command/inputs.ts'
import type { ConfigProblem, ServerConfig } from '../server-config.ts'
import { toEntry, type WrittenInput } from './entry-out.ts'
import { type ConfigForm, FORMS } from './form.ts'

export interface ExportedServers {
  readonly text: string
  /** What the program cannot have, or has in another way. */
  readonly problems: readonly ConfigProblem[]
}

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
