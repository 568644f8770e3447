/** A form made from a schema, one native input after the other. Whoever leaves one has left the form. */

import * as vscode from 'vscode'
import { toLabel, toPlain } from './plain.ts'
import { choicesOf, type Field, readField, toFields } from './schema.ts'

export type Values = { [name: string]: unknown }

/** The values, or undefined where the person left. */
export async function askForm(title: string, schema: unknown): Promise<Values | undefined> {
  const values = new Map<string, unknown>()
  const fields = toFields(schema)
  for (const [at, field] of fields.entries()) {
    const step = `${toLabel(title)} (${at + 1} of ${fields.length})`
    const answer = await askField(step, field)
    if (answer === undefined) return undefined
    if (answer.value !== undefined) values.set(field.name, answer.value)
  }
  // Names are the server's to choose; `fromEntries` makes them members and nothing else.
  return Object.fromEntries(values)
}

async function askField(title: string, field: Field): Promise<{ readonly value: unknown } | undefined> {
  const { schema, name, required } = field
  const label = `${toLabel(schema.title ?? name, 60)}${required ? '' : ' (optional)'}`
  const about = schema.description === undefined ? label : `${label}: ${toLabel(schema.description, 200)}`
  const choices = choicesOf(schema)
  if (choices.length > 0) return askChoice(title, about, field, choices)
  const known =
    schema.default === undefined
      ? ''
      : typeof schema.default === 'string'
        ? schema.default
        : JSON.stringify(schema.default)
  const words = await vscode.window.showInputBox({
    title,
    prompt: about,
    value: toPlain(known),
    ignoreFocusOut: true,
    validateInput: (typed) => {
      const read = readField(field, typed)
      return 'problem' in read ? read.problem : undefined
    },
  })
  if (words === undefined) return undefined
  const read = readField(field, words)
  return 'value' in read ? read : undefined
}

async function askChoice(
  title: string,
  placeHolder: string,
  { required }: Field,
  choices: readonly unknown[],
): Promise<{ readonly value: unknown } | undefined> {
  const picks = choices.map((value) => ({
    label: toLabel(typeof value === 'string' ? value : JSON.stringify(value)),
    value,
  }))
  const all = required ? picks : [...picks, { label: '(nothing)', value: undefined }]
  const picked = await vscode.window.showQuickPick(all, { title, placeHolder, ignoreFocusOut: true })
  return picked === undefined ? undefined : { value: picked.value }
}
