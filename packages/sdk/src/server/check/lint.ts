/**
 * Looks at a server with a model's eyes: what is not described, what is easily confused, which schemas some models
 * refuse, what must not be asked for. Each finding says what to do. The rules are the modules beside this one; they read
 * the catalogue and never call a handler.
 */

import type { Catalogue } from './catalogue.ts'
import type { Finding, Severity } from './lint-finding.ts'
import { lintNames, lintScripts } from './lint-names.ts'
import { lintSchema, type SchemaSite } from './lint-schema.ts'
import { isSensitive, lintSensitive } from './lint-sensitive.ts'

/** Which findings are wanted. */
export interface LintOptions {
  /** Rules to leave out. */
  readonly ignore?: readonly string[]
}

/**
 * Looks for what will mislead a model or a person in a server's names, descriptions and schemas. The worst findings
 * come first; an empty list means that nothing was found.
 *
 * @example
 * ```ts
 * import { lintServer } from '@portico/sdk/lint'
 *
 * for (const { severity, where, message, fix } of lintServer(server)) {
 *   console.error(`${severity} ${where}: ${message} ${fix}`)
 * }
 * ```
 */
export function lintServer(server: { catalogue(): Catalogue }, options: LintOptions = {}): Finding[] {
  const catalogue = server.catalogue()
  const kinds = Object.entries(catalogue).flatMap(([member, items]) =>
    Array.isArray(items) ? [{ member, items }] : [],
  )
  const findings = [
    ...lintNames(catalogue.tools.map(({ name }) => name)),
    ...kinds.flatMap(({ member, items }) => items.flatMap(LINTERS[member]?.lint ?? lintNamed(nounOf(member)))),
    ...kinds.flatMap(({ member, items }) => items.flatMap(({ name }: Named) => lintScripts(nounOf(member), name))),
  ]
  const ignored = new Set(options.ignore)
  const kept = findings.filter(({ rule }) => !ignored.has(rule))
  return kept.sort((a, b) => WORST_FIRST.indexOf(a.severity) - WORST_FIRST.indexOf(b.severity))
}

/**
 * Looks for members of an elicitation form that ask for secrets (sec-101). Forms are made while a handler runs, where
 * `lintServer` does not see them.
 *
 * @example
 * ```ts
 * import { lintForm } from '@portico/sdk/lint'
 *
 * const form = { type: 'object', properties: { password: { type: 'string' } } }
 * console.log(lintForm(form)[0]?.rule) // form-sensitive
 * ```
 */
export function lintForm(schema: unknown, where = 'form'): Finding[] {
  return lintSchema(schema, where).flatMap((site) => {
    if (site.property === undefined || !isSensitive(site.property)) return []
    return [
      {
        rule: 'form-sensitive',
        severity: 'error' as const,
        where: site.where,
        message: `A form must not ask for "${site.property}": its answer passes through the client and may be logged`,
        fix: 'Ask by URL instead: `ctx.elicit({ url, message })` leads the user to a page of your own.',
      },
    ]
  })
}

const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'info']

interface Named {
  readonly name: string
  readonly description?: string
}

interface Linter {
  lint(item: Named): Finding[]
}

/** For the kinds of items that have more to look at than name and description; each meets items of its own kind only. */
const LINTERS: { readonly [member: string]: Linter | undefined } = {
  tools: { lint: lintTool },
  prompts: { lint: lintPrompt },
}

/** What one item is called, by the list that it is in: a template stands for resources. */
function nounOf(member: string): string {
  return member === 'resourceTemplates' ? 'resource' : member.replace(/s$/, '')
}

function lintNamed(noun: string): (item: Named) => Finding[] {
  return ({ name, description }) => lintDescribed(noun, name, description)
}

/** Shorter than this, a description says no more than the name. */
const SHORTEST = 10

function lintTool(tool: Catalogue['tools'][number]): Finding[] {
  const where = `tools.${tool.name}`
  const sites = lintSchema(tool.inputSchema, `${where}.input`)
  return [
    ...lintDescribed('tool', tool.name, tool.description),
    ...lintAnnotations(tool, where),
    ...sites.flatMap(lintField),
    ...sites.flatMap(({ findings }) => findings),
    ...lintSensitive(sites),
    ...(tool.outputSchema === undefined ? [] : lintSchema(tool.outputSchema, `${where}.output`).flatMap(lintField)),
  ]
}

function lintDescribed(noun: string, name: string, description: string | undefined): Finding[] {
  const where = `${noun}s.${name}`
  const fix = `Say what it does, when to use it and what comes back: \`${noun}({ description: '…' })\`.`
  if (description === undefined || description.trim() === '') {
    const severity = noun === 'tool' ? 'error' : 'warning'
    return [{ rule: `${noun}-undescribed`, severity, where, message: `The ${noun} has no description`, fix }]
  }
  if (noun !== 'tool' || description.trim().length >= SHORTEST) return []
  return [
    { rule: 'tool-undescribed', severity: 'warning', where, message: 'The description says next to nothing', fix },
  ]
}

function lintField({ where, property, schema }: SchemaSite): Finding[] {
  if (property === undefined) return []
  const described = typeof schema.description === 'string' && schema.description.trim() !== ''
  if (described || typeof schema.$ref === 'string' || schema.const !== undefined) return []
  return [
    {
      rule: 'field-undescribed',
      severity: 'warning',
      where,
      message: `The field "${property}" has no description`,
      fix: "Describe it with its unit and format: `z.string().describe('…')`, or `description` in JSON Schema.",
    },
  ]
}

function lintPrompt(prompt: Catalogue['prompts'][number]): Finding[] {
  const found = lintDescribed('prompt', prompt.name, prompt.description)
  for (const { name, description } of prompt.arguments ?? []) {
    if (description !== undefined && description.trim() !== '') continue
    const where = `prompts.${prompt.name}.${name}`
    const message = `The argument "${name}" has no description`
    found.push({
      rule: 'field-undescribed',
      severity: 'warning',
      where,
      message,
      fix: 'People fill it in: say what goes there.',
    })
  }
  return found
}

const CHANGES = new Set(
  'add append apply archive assign cancel clear close commit copy create delete deploy destroy disable drop edit enable execute import insert install merge modify move patch pay post publish purge push put remove rename replace reset restart revoke save send set start stop submit sync transfer truncate uninstall update upload upsert write'.split(
    ' ',
  ),
)
const DESTROYS = new Set('clear delete destroy drop purge remove reset revoke truncate uninstall'.split(' '))

/** A host decides by the annotations whether to ask the user first; without them it must assume the worst. */
function lintAnnotations({ name, annotations }: Catalogue['tools'][number], where: string): Finding[] {
  const words = wordsOf(name)
  const change = words.find((word) => CHANGES.has(word))
  if (annotations?.readOnlyHint === true && change !== undefined) {
    const message = `The tool is marked read-only, yet its name says "${change}"`
    const fix = 'Rename it, or take `readOnly: true` away.'
    return [{ rule: 'annotations-contradict', severity: 'warning', where, message, fix }]
  }
  if (annotations?.readOnlyHint === undefined && annotations?.destructiveHint === undefined) {
    if (change === undefined) {
      const message = 'The tool does not say whether it changes anything'
      const fix = 'Set `readOnly: true`, or `destructive: true` or `false`: hosts decide by it whether to ask the user.'
      return [{ rule: 'annotations-missing', severity: 'info', where, message, fix }]
    }
    const message = `The tool sounds as if it changes something ("${change}") and has no annotations`
    const fix = `Set \`destructive: ${DESTROYS.has(change)}\` and, if repeating it does no harm, \`idempotent: true\`.`
    return [{ rule: 'annotations-missing', severity: 'warning', where, message, fix }]
  }
  return []
}

/** `deleteUser`, `delete_user` and `delete-user` are the same two words. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return spaced
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}
