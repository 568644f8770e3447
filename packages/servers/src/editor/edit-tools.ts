/** The tools that propose edits: each shows the difference, and writes it where that is allowed and the user has agreed. */

import { ToolError, tool } from '@portico/sdk/server'
import { spellHidden } from '../text/plain-text.ts'
import { toLine, toList, toObject } from '../vendor/values.ts'
import { START_INPUT } from '../vendor/vendor-host.ts'
import { applyChanges, differences, editOf, readEdit } from './edits.ts'
import { toUri } from './file-uri.ts'
import { answer, type Context, type EditorHost } from './host.ts'
import { toPosition } from './positions.ts'
import { askAt, leftOut, PATH_INPUT, PLACE_INPUT } from './read-tools.ts'

const MAX_ACTIONS = 100
const APPLY_INPUT = {
  type: 'boolean',
  default: false,
  description: 'Write it, after the user has agreed; else only show it',
} as const

export function createEditTools(host: EditorHost, write: boolean) {
  return { rename: renameTool(host, write), format: formatTool(host, write), code_actions: actionsTool(host, write) }
}

function traits(write: boolean) {
  return { readOnly: !write, destructive: write, idempotent: false, openWorld: false } as const
}

interface Wish {
  readonly edit: unknown
  readonly apply: boolean
  readonly write: boolean
  readonly question: string
  readonly start?: number | undefined
}

async function showOrApply(host: EditorHost, { edit, apply, write, question, start }: Wish, ctx: Context) {
  const changes = await readEdit(host, edit)
  if (changes.length === 0) return answer(host, 'That would change nothing.')
  if (!apply) return answer(host, differences(host, changes), start)
  if (!write)
    throw new ToolError(
      'Files are not changed here; the option "write" allows it. Without "apply" the difference is shown.',
    )
  return answer(host, await applyChanges(host, changes, question, ctx))
}

function renameTool(host: EditorHost, write: boolean) {
  const input = {
    type: 'object',
    properties: {
      ...PLACE_INPUT,
      name: { type: 'string', minLength: 1, maxLength: 200, description: 'The new name' },
      apply: APPLY_INPUT,
    },
    required: ['path', 'line', 'name'],
    additionalProperties: false,
  } as const
  const description = 'Renames something wherever it is used; shows the difference, and writes it with "apply"'
  return tool(
    { title: 'Rename', description, input, ...traits(write) },
    async ({ name, apply = false, ...place }, ctx: Context) => {
      const edit = await askAt(host, { method: 'textDocument/rename', more: { newName: name } }, place, ctx)
      const question = `Rename to "${spellHidden(toLine(name))}"?`
      return showOrApply(host, { edit, apply, write, question, start: place.start }, ctx)
    },
  )
}

function formatTool(host: EditorHost, write: boolean) {
  const input = {
    type: 'object',
    properties: {
      path: PATH_INPUT,
      tabSize: { type: 'integer', minimum: 1, maximum: 16, default: 2 },
      insertSpaces: { type: 'boolean', default: true },
      apply: APPLY_INPUT,
      start: START_INPUT,
    },
    required: ['path'],
    additionalProperties: false,
  } as const
  const description = 'Formats a file; shows the difference, and writes it with "apply"'
  return tool({ title: 'Format', description, input, ...traits(write) }, async (given, ctx: Context) => {
    const { path: named, tabSize = 2, insertSpaces = true, apply = false, start } = given
    const { path } = await host.file(named)
    const edits = await host
      .clientFor(path)
      .ask('textDocument/formatting', path, { options: { tabSize, insertSpaces } }, ctx.signal)
    const edit = editOf(toUri(path), edits)
    return showOrApply(host, { edit, apply, write, question: `Format ${host.name(path)}?`, start }, ctx)
  })
}

function actionsTool(host: EditorHost, write: boolean) {
  const input = {
    type: 'object',
    properties: {
      path: PATH_INPUT,
      line: { type: 'integer', minimum: 1, description: 'The line, from 1' },
      title: {
        type: 'string',
        maxLength: 300,
        description: 'The action to take, as it was listed; the list unless given',
      },
      apply: APPLY_INPUT,
      start: START_INPUT,
    },
    required: ['path', 'line'],
    additionalProperties: false,
  } as const
  const description =
    'Lists what can be done about a line (quick fixes, refactorings); with "title" shows the difference, with "apply" writes it'
  return tool({ title: 'Code actions', description, input, ...traits(write) }, async (given, ctx: Context) => {
    const { path: named, line, title, apply = false, start } = given
    const { path, text } = await host.open(named)
    const client = host.clientFor(path)
    const begin = toPosition(text, line, {})
    const wrong = ((await client.diagnose(path, ctx.signal)) ?? []).filter(
      (one) => toObject(toObject(one.range).start).line === line - 1,
    )
    const params = { range: { start: begin, end: { line, character: 0 } }, context: { diagnostics: wrong } }
    const actions = toList(await client.ask('textDocument/codeAction', path, params, ctx.signal))
    if (title === undefined) {
      const titles = actions.slice(0, MAX_ACTIONS).map((action) => toLine(action.title, 300))
      return answer(host, [...titles, ...leftOut(actions.length - titles.length)].join('\n'), start)
    }
    const chosen = actions.find((action) => toLine(action.title, 300) === title)
    if (chosen === undefined)
      throw new ToolError(`There is no action "${spellHidden(title)}" for that line. Leave "title" out to see them.`)
    const edit = chosen.edit ?? toObject(await client.askAll('codeAction/resolve', chosen, ctx.signal)).edit
    if (edit === undefined)
      throw new ToolError('That action runs a command of the language server, which is not done here.')
    // The title is the language server's: it does not get to look like a question of ours.
    const question = `Do what the language server calls "${spellHidden(title)}" in ${host.name(path)}?`
    return showOrApply(host, { edit, apply, write, question, start }, ctx)
  })
}
