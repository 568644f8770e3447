/**
 * As much of Helm's templates as the chart of this repository uses, and not one thing more: values by path, `toJson`, and `if`.
 * There is no Helm here; what it does not know is an error, so that the chart stays within it.
 */

type Values = { readonly [name: string]: unknown }

export function renderTemplate(template: string, scope: { readonly Values: Values; readonly Release: Values }): string {
  const chosen = template.replaceAll(
    /\{\{- if ([\w.]+) \}\}\n([\s\S]*?)\{\{- end \}\}\n?/g,
    (_, path: string, body: string) => (valueAt(scope, path) === true ? body : ''),
  )
  return chosen.replaceAll(/\{\{(.*?)\}\}/g, (_, inside: string) => {
    const [, json, path = ''] = /^ (toJson )?(\.[\w.]+) $/.exec(inside) ?? []
    if (path === '') throw new Error(`not known here: {{${inside}}}`)
    const value = valueAt(scope, path)
    return json === undefined ? String(value) : JSON.stringify(value)
  })
}

function valueAt(scope: object, path: string): unknown {
  let value: unknown = scope
  for (const name of path.split('.').slice(1)) {
    const found = (value as Values)[name]
    if (found === undefined) throw new Error(`no value for ${path}`)
    value = found
  }
  return value
}
