/** Completions without those that are, or in a template would lead to, an address out of view. */

import { parseTemplate, type UriTemplate } from '@portico/sdk/internal'
import type { CompleteResult } from '@portico/sdk/relay'
import type { JsonObject } from '@portico/sdk/server'
import type { CatalogueItem } from '../../upstream/catalogue/item.ts'
import type { View } from '../views/view.ts'

/** Stands for what the caller has not filled in yet. */
const ANYTHING = 'x'

export function shownCompletions(
  result: CompleteResult,
  item: CatalogueItem,
  params: JsonObject,
  view: View,
): CompleteResult {
  const { values } = result.completion
  if (!Array.isArray(values)) return result
  const leads = item.kind === 'template' ? leadsInView(item, params, view) : () => true
  const shown = values.map(String).filter((value) => !view.hides(item.server, value) && leads(value))
  if (shown.length === values.length) return result
  // How many there are in all would tell of those that are left out.
  const { total, ...rest } = result.completion
  return { ...result, completion: { ...rest, values: shown } }
}

/** Whether the address that a value makes is in view, under both of the template's names. */
function leadsInView(item: CatalogueItem, params: JsonObject, view: View): (value: string) => boolean {
  const templates = [...new Set([item.ownName, item.name])].map(parseTemplate)
  const variable = String((params.argument as JsonObject | undefined)?.name)
  const given = textsOf((params.context as JsonObject | undefined)?.arguments)
  return (value) =>
    templates.every((template) =>
      addressesOf(template, { ...given, [variable]: value }).every((uri) => view.reaches(item.server, uri, item)),
    )
}

/** With nothing, and with anything, for the variables that are not known yet. */
function addressesOf(template: UriTemplate, values: { readonly [name: string]: string }): readonly string[] {
  const filled = Object.fromEntries(template.names.map((name) => [name, values[name] ?? ANYTHING]))
  return [template.expand(values), template.expand(filled)]
}

function textsOf(given: unknown): { readonly [name: string]: string } {
  if (typeof given !== 'object' || given === null) return {}
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
}
