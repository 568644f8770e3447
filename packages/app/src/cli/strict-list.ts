/** What `portico list --strict` adds: what a model would stumble over, and what the definitions cost it. */

import type { Prompt, Resource, ResourceTemplate, Tool } from '@portico/sdk/client'
import { type Finding, lintServer } from '@portico/sdk/lint'
import { counted } from './terminal/counted.ts'
import type { Io } from './terminal/io.ts'
import { toLine } from './terminal/plain-text.ts'

export interface StrictReport {
  readonly findings: readonly Finding[]
  /** About how many tokens a model reads before anything is asked of it. */
  readonly tokens: number
  readonly perTool: { readonly [tool: string]: number }
}

/** What models agree on well enough for a figure to plan with. */
const CHARACTERS_A_TOKEN = 4

export function strictReport(lists: ReadonlyMap<string, readonly unknown[]>): StrictReport {
  // Each list came from the method of its own kind.
  const tools = (lists.get('tools') ?? []) as readonly Tool[]
  const catalogue = () => ({
    info: { name: '', version: '' },
    instructions: undefined,
    tools,
    resources: (lists.get('resources') ?? []) as readonly Resource[],
    resourceTemplates: (lists.get('templates') ?? []) as readonly ResourceTemplate[],
    prompts: (lists.get('prompts') ?? []) as readonly Prompt[],
  })
  const perTool = tools.map((tool): [string, number] => [tool.name, tokensOf(tool)])
  return {
    findings: lintServer({ catalogue }),
    tokens: perTool.reduce((sum, [, tokens]) => sum + tokens, 0),
    perTool: Object.fromEntries(perTool),
  }
}

/** Only what models are shown: the name, the description, what goes in. */
function tokensOf({ name, description = '', inputSchema }: Tool): number {
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_A_TOKEN)
}

export function sayStrict({ findings, tokens, perTool }: StrictReport, io: Io): void {
  for (const { severity, where, message, fix } of findings) {
    const paint = { error: io.paint.red, warning: io.paint.yellow, info: io.paint.dim }[severity]
    io.say(`${paint(severity)} ${toLine(where)}: ${toLine(message)}\n  ${toLine(fix, 300)}`)
  }
  const count = Object.keys(perTool).length
  const [dearest] = Object.entries(perTool).sort(([, a], [, b]) => b - a)
  const most = dearest === undefined || count < 2 ? '' : `, ${dearest[1]} of them for ${toLine(dearest[0])}`
  io.say(
    `${counted(findings.length, 'finding')}. ${counted(count, 'tool')} cost a model about ${tokens} tokens${most}.`,
  )
}
