/** The tool that a command names, or the one that was likely meant. */

import { nearestName } from '@portico/host/text'
import type { Tool } from '@portico/sdk/client'
import { CliError } from '../../exit-codes.ts'
import { toLine } from '../terminal/plain-text.ts'

export function findTool(tools: readonly Tool[], name: string, label: string, hint?: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return found
  const names = tools.map((tool) => tool.name)
  const near = nearestName(name, names) ?? names.find((one) => one.includes(name))
  const known = names.length === 0 ? 'It has none.' : `It has ${toLine(names.join(', '), 120)}.`
  const remedy =
    hint ??
    (near === undefined ? `${known} \`portico list <server> tools\` shows more.` : `Did you mean "${toLine(near)}"?`)
  throw new CliError('not-found', `${label} has no tool "${name}"`, remedy)
}
